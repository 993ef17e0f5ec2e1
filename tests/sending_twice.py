"""The same form sent twice at the same moment, as a double click does it."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection
from django.test import Client


def send_two(client: Client, path: str, data: Mapping[str, Any]) -> list[int]:
    """Two identical forms of the client's session, started together; their answers' statuses."""
    barrier = Barrier(2)

    def send(_number: int) -> int:
        own = Client(raise_request_exception=False)
        own.cookies = client.cookies
        barrier.wait(10)
        try:
            return own.post(path, data).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        return list(threads.map(send, range(2)))
