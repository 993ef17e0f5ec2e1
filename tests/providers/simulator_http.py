"""The HTTP side of the simulators: kept connections, cut lines, /stats and /control."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came in; `headers` are found in any letter case."""

    path: str
    headers: Message
    body: bytes


class AnswerToSend(Protocol):
    """Status (below zero: cut the line), headers and body."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class _Server(ThreadingHTTPServer):
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(address, handler)
        self.lines: set[socket.socket] = set()
        self.connections = 0

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        self.lines.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.lines.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # One write an answer, without waiting for company.
    wbufsize = -1
    disable_nagle_algorithm = True
    serve: Callable[[Received], AnswerToSend]
    look_up: Callable[[Received], AnswerToSend]
    report: Callable[[], Mapping[str, Any]]
    control: Callable[[Mapping[str, Any]], Mapping[str, Any]]

    def do_GET(self) -> None:
        if self.path == "/stats":
            self._send_json(200, type(self).report())
            return
        answer = type(self).look_up(Received(self.path, self.headers, b""))
        self._send(answer.status, answer.headers, answer.body)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/control":
            self._change(body)
            return
        answer = type(self).serve(Received(self.path, self.headers, body))
        with suppress(OSError):  # a client that did not wait
            if answer.status < 0:
                self._cut()
            else:
                self._send(answer.status, answer.headers, answer.body)

    def _change(self, body: bytes) -> None:
        try:
            self._send_json(200, type(self).control(json.loads(body)))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            self._send_json(400, {"error": f"{type(error).__name__}: {error}"})

    def _send_json(self, status: int, value: Mapping[str, Any]) -> None:
        self._send(status, {"Content-Type": "application/json"}, json.dumps(value).encode())

    def _send(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _cut(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: Any) -> None:
        """The live line and /stats say what happens."""


class SimulatorServer:
    """Starts and stops the server; the port stays the same."""

    def __init__(
        self,
        port: int,
        serve: Callable[[Received], AnswerToSend],
        look_up: Callable[[Received], AnswerToSend],
        report: Callable[[], Mapping[str, Any]],
        control: Callable[[Mapping[str, Any]], Mapping[str, Any]],
    ) -> None:
        self.port = port
        members = {name: staticmethod(what) for name, what in
                   (("serve", serve), ("look_up", look_up), ("report", report),
                    ("control", control))}  # fmt: skip
        self._handler = type("Handler", (_Handler,), members)
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def connections(self) -> int:
        """How many lines were opened since the start."""
        return self._server.connections if self._server is not None else 0

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", self.port), self._handler)
        self.port = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        for line in list(self._server.lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
        self._server = None
