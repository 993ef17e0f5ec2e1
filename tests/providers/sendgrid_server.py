"""A local server that speaks SendGrid's v3 mail/send and answers what a test tells it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

REFUSAL = {"errors": [{"message": "Does not contain a valid address.", "field": "to", "help": ""}]}


@dataclass
class Answer:
    """What the server answers: a status, or the line cut, after `delay` seconds."""

    status: int = 202
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    delay: float = 0
    cuts_line: bool = False


@dataclass
class SendGridServer:
    """Remembers every request; `answers` are given in turn, then always 202."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    authorizations: list[str] = field(default_factory=list)
    on_request: Callable[[dict[str, Any]], None] = lambda request: None

    def refuse(self, status: int, **headers: str) -> None:
        """Answer the next request with this status, and a body as the API writes it."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers.append(Answer(status, named, json.dumps(REFUSAL).encode()))

    def addresses(self) -> list[str]:
        """Who was written to, in order, counting repeats."""
        return [
            mailbox["email"]
            for request in self.requests
            for person in request["personalizations"]
            for mailbox in person["to"]
        ]


class _Handler(BaseHTTPRequestHandler):
    state: SendGridServer

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"])
        self.state.requests.append(json.loads(self.rfile.read(length)))
        self.state.authorizations.append(self.headers["Authorization"])
        number = len(self.state.requests)
        self.state.on_request(self.state.requests[-1])
        answer = self.state.answers.pop(0) if self.state.answers else Answer()
        time.sleep(answer.delay)
        if answer.cuts_line:
            self.connection.close()
            return
        with suppress(ConnectionError):  # a client that did not wait
            self._answer(answer, number)

    def _answer(self, answer: Answer, number: int) -> None:
        self.send_response(answer.status)
        if answer.status == 202:
            self.send_header("X-Message-Id", f"message-{number}")
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep the tests' output clean."""


@contextmanager
def running_server() -> Iterator[SendGridServer]:
    """Serve on a free port of this machine."""
    state = SendGridServer()
    handler = type("Handler", (_Handler,), {"state": state})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield state
        finally:
            server.shutdown()
            thread.join()
