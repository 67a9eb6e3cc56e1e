"""Servers on this machine that publish recorded KV events, each rank so many of them, and recorded metrics."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import msgspec

from probes.kv.publisher import KVPublisher, PublisherOptions
from tests.support import engine_pages
from tests.support.fake_server import Page, serving, text_page
from tests.support.kv_streams import messages
from tests.support.metrics_pages import recorded_page

STREAM = "sglang_0.5.23_page16"
METRICS = "sglang_0.5.23"


@dataclass
class ServedFleet:
    """What runs: the targets by which the servers are attached to, and their pages of metrics."""

    targets: list[str]
    pages: list[dict[str, Page]]
    ranks: list[int]

    def scraped_again(self, which: int = 1) -> None:
        """Let the metrics of all servers be those of the later scrape that was recorded."""
        for pages, ranks in zip(self.pages, self.ranks, strict=True):
            pages["/metrics"] = text_page(metrics_of(ranks, which))


@contextmanager
def served_fleet(servers: Sequence[Sequence[int]]) -> Iterator[ServedFleet]:
    """Run servers whose ranks have published so many messages of the stream."""
    with ExitStack() as stack:
        fleet = ServedFleet([], [], [])
        for ranks in servers:
            base = _free_ports(2 * len(ranks))
            for rank, published in enumerate(ranks):
                publisher = _publisher(base + rank, base + len(ranks) + rank)
                stack.callback(publisher.close)
                for _, (_, payload) in zip(range(published), messages(STREAM), strict=False):
                    publisher.publish(msgspec.msgpack.decode(payload)[1])
            events = {
                "publisher": "zmq", "endpoint_host": "*", "endpoint_port_base": base, "topic": "", "block_size": 16,
                "replay_endpoint_port_base": base + len(ranks), "dp_size": len(ranks),
            }  # fmt: skip
            pages = engine_pages.sglang("0.5.23", kv_events=events, dp_size=len(ranks))
            pages["/metrics"] = text_page(metrics_of(len(ranks), 0))
            server = stack.enter_context(serving(pages))
            fleet.targets.append(f"sglang://{server.address.place}")
            fleet.pages.append(pages)
            fleet.ranks.append(len(ranks))
        yield fleet


def metrics_of(ranks: int, which: int) -> str:
    """Return the page of a server of so many ranks, each of which tells what was recorded."""
    page = recorded_page(f"{METRICS}_t{which}")
    if ranks == 1:
        return page
    bare = re.sub(r'dp_rank="0",?', "", page)
    return "".join(bare.replace("{", f'{{dp_rank="{rank}",') for rank in range(ranks))


def _publisher(live: int, replay: int) -> KVPublisher[object]:
    endpoints = PublisherOptions(endpoint=f"tcp://127.0.0.1:{live}", replay_endpoint=f"tcp://127.0.0.1:{replay}")
    return KVPublisher[object](lambda event: event, endpoints)


def _free_ports(count: int) -> int:
    """Return the first of so many ports in a row that nobody listens at."""
    while True:
        with ExitStack() as stack:
            first = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            try:
                for port in range(first + 1, first + count):
                    stack.enter_context(socket.create_server(("127.0.0.1", port)))
            except (OSError, OverflowError):
                continue
            return int(first)
