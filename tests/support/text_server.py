"""Servers on this machine that tell the text of tokens as engines do: token 65 is "A"; other pages are 404."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any

from probes.engines.access import Address
from tests.support.fake_server import Page


def spelt(tokens: list[int]) -> str:
    """Return the text of tokens that are the numbers of their characters."""
    return "".join(map(chr, tokens))


@dataclass
class TextServer:
    """A server that runs, and every row of tokens that it was asked for."""

    address: Address
    rows: list[tuple[int, ...]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    seen: threading.Event = field(default_factory=threading.Event)


@contextmanager
def detokenizing(
    engine: str = "sglang",
    *,
    status: int = 200,
    body: bytes | None = None,
    poison: int | None = None,
    held: threading.Event | None = None,
    pages: Mapping[str, Page] = MappingProxyType({}),
) -> Iterator[TextServer]:
    """Answer as an engine does; with a `status` and a `body` always the same, after `held` is set.

    Who asks for a row with the token `poison` in it gets none of its rows. `pages` are what it says besides.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked: Any = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            rows = asked["tokens"] if engine == "sglang" else [asked["tokens"]]
            fake.rows += map(tuple, rows)
            fake.keys.append(self.headers["Authorization"])
            fake.seen.set()
            if held is not None:
                held.wait(10)
            is_poisoned = any(poison in row for row in rows)
            texts = [spelt(row) for row in rows]
            answer = {"text": texts} if engine == "sglang" else {"prompt": texts[0]}
            self.send_response(400 if is_poisoned or self.path != "/detokenize" else status)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode() if body is None else body)

        def do_GET(self) -> None:
            page = pages.get(self.path, Page(b"", 404))
            self.send_response(page.status)
            self.send_header("Content-Length", str(len(page.body)))
            self.end_headers()
            self.wfile.write(page.body)

        def log_message(self, format: str, *args: object) -> None:
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    fake = TextServer(Address("127.0.0.1", server.server_port))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield fake
    finally:
        if held is not None:
            held.set()
        server.shutdown()
        server.server_close()
        thread.join()
