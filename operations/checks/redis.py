"""Redis: reachable, of a version that is known, and told never to throw anything away."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from redis.exceptions import ResponseError

from operations.checks.check import Check, failed, passed
from operations.reach import Reach

OLDEST = 7


def check_redis(reach: Reach) -> Check:
    """Whether it answers, and keeps what it is given (`maxmemory-policy noeviction`)."""
    if reach.redis_error:
        return failed(
            "redis",
            _("Redis does not answer: %(error)s") % {"error": reach.redis_error},
            _(
                "Start Redis (“systemctl start redis” or “docker compose up -d redis”), and see "
                "that REDIS_URL names the right host and password. Until then nothing is sent, "
                "and nothing is lost."
            ),
        )
    information: dict[str, Any] = reach.redis.info()
    name, version = _name_and_version(information)
    words = {"name": name, "version": version}
    if int(version.partition(".")[0]) < OLDEST:
        return failed(
            "redis",
            _("This is %(name)s %(version)s.") % words,
            _("Use Redis %(oldest)d or newer, or Valkey.") % {"oldest": OLDEST},
        )
    policy = _policy(reach, information)
    if policy != "noeviction":
        return failed(
            "redis",
            _("Redis may throw away queues and sent marks: its maxmemory-policy is %(policy)s.")
            % {"policy": policy},
            _(
                "Run “redis-cli CONFIG SET maxmemory-policy noeviction”, and set it in redis.conf "
                "as well, so that it stays."
            ),
        )
    if not int(information.get("aof_enabled", 0)):
        return passed(
            "redis",
            _(
                "%(name)s %(version)s answers and evicts nothing. It keeps no append-only file: "
                "set “appendonly yes”, or a crash forgets sent marks."
            )
            % words,
        )
    return passed("redis", _("%(name)s %(version)s answers and evicts nothing.") % words)


def _name_and_version(information: dict[str, Any]) -> tuple[str, str]:
    if version := information.get("valkey_version"):
        return "Valkey", str(version)
    return "Redis", str(information.get("redis_version", "0"))


def _policy(reach: Reach, information: dict[str, Any]) -> str:
    """Hosted servers may forbid CONFIG; INFO tells the same."""
    if policy := information.get("maxmemory_policy"):
        return str(policy)
    try:
        return str(reach.redis.config_get("maxmemory-policy").get("maxmemory-policy", "unknown"))
    except ResponseError:
        return "unknown"
