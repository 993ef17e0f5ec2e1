"""SendGrid's official client on a kept line. Its own would wait for ever, and connect each time."""

from __future__ import annotations

import logging
from typing import Any
from urllib.request import Request

from python_http_client.client import Client
from python_http_client.exceptions import HTTPError
from sendgrid import SendGridAPIClient
from urllib3.response import BaseHTTPResponse

from notifications.providers.http_line import HTTPLine

# The client writes the API key and whole messages at DEBUG: whatever the level, not in our logs.
logging.getLogger("python_http_client.client").addFilter(lambda record: False)


class _Answer:
    """An answer of the line, as the client wants to read it."""

    def __init__(self, response: BaseHTTPResponse) -> None:
        self._response = response

    def getcode(self) -> int:
        return self._response.status

    def read(self) -> bytes:
        return self._response.data

    def info(self) -> Any:
        return self._response.headers


class MailSendClient(Client):
    """`post(request_body=…)` asks v3/mail/send; HTTPError for every status but 2xx."""

    def __init__(self, api_key: str, host: str, line: HTTPLine) -> None:
        api = SendGridAPIClient(api_key, host=host)
        super().__init__(
            host=host,
            request_headers=dict(api.client.request_headers),
            version=3,
            url_path=["mail", "send"],
        )
        self._line = line

    def _make_request(self, opener: object, request: Request, timeout: object = None) -> _Answer:
        body = request.data
        if not isinstance(body, bytes):
            raise TypeError("The client must send bytes.")
        response = self._line.post(request.full_url, body, dict(request.header_items()))
        if not 200 <= response.status < 300:
            raise HTTPError(response.status, response.reason, response.data, response.headers)
        return _Answer(response)
