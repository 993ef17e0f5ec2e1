"""The line to a provider's HTTP API: kept for a batch, with an end to every wait.

Its errors say the one thing that matters for sending exactly once: whether anything has left.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, ReadTimeoutError

from notifications.providers.base import Outcome, Unavailable, Uncertain

CONNECT_SECONDS = 5
READ_SECONDS = 20


class UnableToConnect(Exception):
    """There is no line (no address, refused, no answer, wrong certificate): nothing has left."""


class _Connection(HTTPConnection):
    def connect(self) -> None:
        try:
            super().connect()
        except (OSError, HTTPError) as error:
            raise UnableToConnect(f"{type(error).__name__}: {error}") from error


class _SecureConnection(HTTPSConnection):
    def connect(self) -> None:
        try:
            super().connect()
        except (OSError, HTTPError) as error:
            raise UnableToConnect(f"{type(error).__name__}: {error}") from error


class _Pool(urllib3.HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(urllib3.HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


class HTTPLine:
    """Kept connections to one server, through the proxy that the environment names."""

    def __init__(self, url: str) -> None:
        self._pools = _pools(url)
        self._pools.pool_classes_by_scheme = {"http": _Pool, "https": _SecurePool}

    def post(
        self, url: str, body: bytes, headers: Mapping[str, str]
    ) -> urllib3.response.BaseHTTPResponse:
        """One request, never repeated, and its whole answer, whatever the status.

        Raises UnableToConnect when nothing has left, and urllib3's HTTPError otherwise.
        """
        timeout = urllib3.Timeout(connect=CONNECT_SECONDS, read=READ_SECONDS)
        return self._pools.request(
            "POST", url, body=body, headers=headers, timeout=timeout, retries=False, redirect=False
        )

    def get(
        self, url: str, headers: Mapping[str, str], seconds: float
    ) -> urllib3.response.BaseHTTPResponse:
        """Look something up, waiting for `seconds` at most each for the line and the answer.

        Raises UnableToConnect or urllib3's HTTPError.
        """
        timeout = urllib3.Timeout(connect=seconds, read=seconds)
        return self._pools.request(
            "GET", url, headers=headers, timeout=timeout, retries=False, redirect=False
        )

    def close(self) -> None:
        """Hang up."""
        self._pools.clear()


def outcome_of(error: UnableToConnect | HTTPError) -> Outcome:
    """What an error of the line means: without a connection nothing was taken, else nobody knows.

    The words of a read time-out hold the address that was asked, but no key and no message.
    """
    if isinstance(error, UnableToConnect):
        return Unavailable(str(error))
    is_timeout = isinstance(error, ReadTimeoutError)
    return Uncertain(f"{type(error).__name__}: {error}", is_timeout=is_timeout)


def _pools(url: str) -> urllib3.PoolManager:
    parts = urlsplit(url)
    proxy = getproxies().get(parts.scheme, "")
    if proxy and not proxy_bypass(parts.hostname or ""):
        return urllib3.ProxyManager(proxy)
    return urllib3.PoolManager()
