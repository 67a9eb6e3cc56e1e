"""What a server says of itself: the contract of the readers, and the table of them by engine.

A reader asks few questions once: a round trip through every scheduler is no metric.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from cache_core.registry import Registry
from probes.engines.http import HttpClient
from probes.ranks import MOST_RANKS


@dataclass(frozen=True, slots=True)
class KVEndpoint:
    """Where one rank publishes its KV events."""

    rank: int
    live: str
    replay: str | None = None
    topic: str = ""
    is_awaited: bool = False
    """Whether the publisher connects there: a reader has to bind instead."""


Feature = Literal["events", "replay", "metrics", "rank metrics", "cache report", "block lives"]
"""What a server can be started without."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A feature that the server was started without: how to start it, and what is not seen as long as it is not."""

    feature: Feature
    start: str
    """As in "start it with --enable-metrics"."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerInfo:
    """A server as it says it is; None where it does not say.

    Texts are the server's: they may hold anything but are short; a screen cleans them.
    """

    engine: str
    version: str | None = None
    model: str | None = None
    page_size: int | None = None
    """Tokens of a page or block, as its events count them."""
    dp_size: int | None = None
    kv: tuple[KVEndpoint, ...] = ()
    capacity_tokens: int | None = None
    """Of the device, for one rank."""
    missing: tuple[Missing, ...] = ()
    warnings: tuple[str, ...] = ()
    """What it was started with that will not work, or that is known to be wrong in this version."""
    kv_is_open: bool = False
    """Whether other machines may reach the ports of its KV events."""
    tp_size: int | None = None
    """How many schedulers share the tokens of one data-parallel rank, each with its part of every token."""

    @property
    def left_out(self) -> str:
        """Say how many of its ranks are too many to follow, "" where none are."""
        ranks = self.dp_size or 1
        more = ranks - MOST_RANKS
        is_or_are = "is" if more == 1 else "are"
        said = f"{more:,} of its {ranks:,} ranks {is_or_are} left out: the first {MOST_RANKS:,} are followed"
        return said * (more > 0)

    def with_more(self, missing: tuple[Missing, ...] = (), warnings: tuple[str, ...] = ()) -> ServerInfo:
        """Return the same with more that is missing or wrong."""
        return replace(self, missing=self.missing + missing, warnings=self.warnings + warnings)


READERS: Registry[Callable[[HttpClient], ServerInfo]] = Registry(
    "engine",
    {
        "sglang": "probes.engines.sglang_info:read",
        "vllm": "probes.engines.vllm_info:read",
    },
)


def read_server(engine: str, client: HttpClient) -> ServerInfo:
    """Return what a server says of itself, as far as it does.

    Raises EngineError where there is no such server, or where it refuses; UnknownNameError for another engine.
    """
    return READERS.load(engine)(client)
