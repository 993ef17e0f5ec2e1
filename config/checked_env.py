"""The environment's variables, checked before anything is built on them.

Whoever sets up a server shall read what is wrong, all of it at once and by the variables' names;
values are not repeated, for some hold passwords.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator
from email.utils import getaddresses
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import environ
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.validators import validate_email

from config.broker import BROKERS, sqs_problem

ENVIRONMENTS = ("production", "development", "test")
EMAIL_PROVIDERS = ("sendgrid", "smtp", "outbox")
SMS_PROVIDERS = ("twilio", "outbox", "")
REQUIRED = ("SECRET_KEY", "DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS", "SITE_URL",
            "EMAIL_PROVIDER", "DEFAULT_FROM_EMAIL")  # fmt: skip
REQUIRED_BY_PROVIDER = {
    "sendgrid": ("SENDGRID_API_KEY",),
    "smtp": ("EMAIL_HOST",),
    "twilio": ("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN", "TWILIO_FROM"),
}
BOOLEANS = {"true", "on", "ok", "y", "yes", "1", "false", "off", "n", "no", "0"}


def read_environment(dotenv: Path) -> environ.Env:
    """The process's variables and, where it has none, those of the file `dotenv`.

    Raises ImproperlyConfigured, which names every variable that cannot be used.
    """
    environ.Env.read_env(dotenv)
    env = environ.Env()
    if problems := list(_problems(env)):
        raise ImproperlyConfigured(" ".join([*problems, "See .env.example for what each means."]))
    return env


def _problems(env: environ.Env) -> Iterator[str]:
    environment = env.str("ENVIRONMENT", "production")
    if environment not in ENVIRONMENTS:
        yield "ENVIRONMENT must be production, development or test."
    is_production = environment == "production"
    yield from _problems_with_providers(env, is_production)
    for name, (is_right, wanted) in CHECKS.items():
        value = env.ENVIRON.get(name)
        # Addresses may be empty, which means: not set.
        if value is None or (value == "" and name not in NEVER_EMPTY):
            continue
        if not is_right(value):
            yield f"{name} must be {wanted}."
    yield from _contradictions(env)


def _problems_with_providers(env: environ.Env, is_production: bool) -> Iterator[str]:
    default = "" if is_production else "outbox"
    email, sms = env.str("EMAIL_PROVIDER", default), env.str("SMS_PROVIDER", default)
    if is_production:
        needed = [*REQUIRED, *REQUIRED_BY_PROVIDER.get(email, ())]
        needed += REQUIRED_BY_PROVIDER.get(sms, ())
        if missing := [name for name in needed if not env.str(name, "").strip()]:
            yield (
                f"ENVIRONMENT is production, but these variables are not set: {', '.join(missing)}."
            )
        if "outbox" in (email, sms):
            yield "The provider outbox only writes files: not for production."
    # An empty one is missing, which has been said.
    if email not in EMAIL_PROVIDERS and (email or not is_production):
        yield "EMAIL_PROVIDER must be sendgrid, smtp or outbox."
    if sms not in SMS_PROVIDERS:
        yield "SMS_PROVIDER must be twilio, outbox or empty."


def _contradictions(env: environ.Env) -> Iterator[str]:
    if all(env.str(name, "").lower() in environ.Env.BOOLEAN_TRUE_STRINGS
           for name in ("EMAIL_USE_TLS", "EMAIL_USE_SSL")):  # fmt: skip
        yield "EMAIL_USE_TLS and EMAIL_USE_SSL must not both be true."
    broker = env.str("CELERY_BROKER_URL", "")
    if broker.startswith("sqs://") and (wish := sqs_problem(broker)):
        yield f"CELERY_BROKER_URL must {wish}"
    if env.str("REDIS_URL", "").startswith("unix:") and not broker:
        yield "CELERY_BROKER_URL must be set: Celery cannot use the unix:// address of REDIS_URL."


def _is_database(url: str) -> bool:
    try:
        if urlsplit(url).scheme not in ("postgres", "postgresql"):
            return False
        return bool(environ.Env.db_url_config(url)["NAME"])
    except (ValueError, KeyError, ImproperlyConfigured):
        return False


def _is_url(*schemes: str, with_number: bool = False) -> Callable[[str], bool]:
    """A check for URLs; `with_number`: the path of one on a server is a number, or empty."""

    def check(url: str) -> bool:
        try:
            parts = urlsplit(url)
            _ = parts.port  # which may be none
        except ValueError:
            return False
        if parts.scheme not in schemes or not url.startswith(f"{parts.scheme}://"):
            return False
        path = parts.path.strip("/")
        return not (with_number and "redis" in parts.scheme and path and not path.isdecimal())

    return check


def _is_site(url: str) -> bool:
    return _is_url("http", "https")(url) and bool(urlsplit(url).hostname)


def _is_number(lowest: int, highest: int) -> Callable[[str], bool]:
    return lambda text: text.isdecimal() and lowest <= int(text) <= highest


def _is_sender(text: str) -> bool:
    """Whether it is one address, with or without a name before it."""
    addresses = getaddresses([text])
    if len(addresses) != 1 or not text.isprintable():
        return False
    try:
        validate_email(addresses[0][1])
    except ValidationError:
        return False
    return True


def _is_rate(text: str) -> bool:
    return re.fullmatch(r"(\d+/\d*[smhd]/(ip|key)(,(?!$)|$))+", text) is not None


def _is_time_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return False
    return True


_A_BOOLEAN = (lambda text: text.lower() in BOOLEANS, "true or false")
_A_RATE = (_is_rate, "rates such as 20/m/ip or 10/m/ip,5/300s/key")
_A_SITE = (_is_site, "an address that begins with https:// or http://")
CHECKS: dict[str, tuple[Callable[[str], bool], str]] = {
    "DATABASE_URL": (_is_database, "postgres://user:password@host:port/name"),
    "REDIS_URL": (
        _is_url("redis", "rediss", "unix", with_number=True),
        "redis://host:port/number, rediss:// or unix://",
    ),
    "CELERY_BROKER_URL": (
        _is_url(*BROKERS, with_number=True),
        f"an address that begins with {'://, '.join(BROKERS)}://",
    ),
    "SITE_URL": _A_SITE,
    "SENDGRID_API_HOST": _A_SITE,
    "TWILIO_API_HOST": _A_SITE,
    "DEFAULT_FROM_EMAIL": (_is_sender, "one address: post@example.com, or Name <post@example.com>"),
    "TIME_ZONE": (_is_time_zone, "a time zone such as Europe/Berlin"),
    "CONN_MAX_AGE": (_is_number(0, 86_400), "seconds, from 0 to 86400"),
    "EMAIL_PORT": (_is_number(1, 65_535), "a whole number from 1 to 65535"),
    "EMAIL_TIMEOUT": (_is_number(1, 3600), "seconds, from 1 to 3600"),
    "DEBUG": _A_BOOLEAN,
    "LOG_JSON": _A_BOOLEAN,
    "EMAIL_USE_TLS": _A_BOOLEAN,
    "EMAIL_USE_SSL": _A_BOOLEAN,
    "SENDGRID_SANDBOX": _A_BOOLEAN,
    "ADMIN_REQUIRES_MFA": _A_BOOLEAN,
    "SECURE_SSL_REDIRECT": _A_BOOLEAN,
    "TRUSTED_PROXIES": (_is_number(0, 10), "a number from 0 to 10"),
    "RATE_LIMIT_SIGN_UP": _A_RATE,
    "RATE_LIMIT_SIGN_IN": _A_RATE,
    "RATE_LIMIT_SIGN_IN_FAILED": _A_RATE,
    "RATE_LIMIT_RESET": _A_RATE,
    "RATE_LIMIT_PREVIEW": _A_RATE,
    "RATE_LIMIT_API": _A_RATE,
    "LOG_LEVEL": (
        lambda text: text in logging.getLevelNamesMapping(),
        "DEBUG, INFO, WARNING, ERROR or CRITICAL",
    ),
}
# Read as numbers and words: an empty one would be no value at all.
NEVER_EMPTY = frozenset(
    name for name in CHECKS
    if not name.endswith(("_URL", "_HOST")) and name != "DEFAULT_FROM_EMAIL"
)  # fmt: skip
