"""A mail server that takes everything at once and keeps nothing, in a process of its own.

    python -m tests.benchmarks.sending_sink

Prints its port. NOOP answers how many mails it has taken.
"""

from __future__ import annotations

import asyncio

END_OF_TEXT = b"\r\n.\r\n"
ANSWERS = {
    b"HELO": b"250 sink.example\r\n",
    b"EHLO": b"250-sink.example\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 50000000\r\n",
    b"DATA": b"354 Go on\r\n",
    b"QUIT": b"221 Bye\r\n",
}


class Sink(asyncio.Protocol):
    """One line; `taken` counts over all of them."""

    taken = 0

    def __init__(self) -> None:
        self._received = bytearray()
        self._takes_text = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(b"220 sink.example\r\n")

    def data_received(self, data: bytes) -> None:
        self._received += data
        while self._take_text() if self._takes_text else self._take_command():
            pass

    def _take_text(self) -> bool:
        # Only what is new can hold the end; the text itself is of no interest.
        end = self._received.find(END_OF_TEXT)
        if end < 0:
            del self._received[: -len(END_OF_TEXT)]
            return False
        del self._received[: end + len(END_OF_TEXT)]
        self._takes_text = False
        Sink.taken += 1
        self._transport.write(b"250 OK\r\n")
        return True

    def _take_command(self) -> bool:
        line, found, rest = bytes(self._received).partition(b"\r\n")
        if not found:
            return False
        self._received[:] = rest
        word = line[:4].upper()
        answer = b"250 %d\r\n" % Sink.taken if word == b"NOOP" else ANSWERS.get(word, b"250 OK\r\n")
        self._transport.write(answer)
        self._takes_text = word == b"DATA"
        if word == b"QUIT":
            self._transport.close()
        return True


async def main() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Sink, "127.0.0.1", 0, backlog=128)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
