"""The peers that a tester names in RADIXTOP_PEERS, and how their answers to a random log are compared with ours."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from cache_core.bench.core import CORES
from cache_core.bench.side import Peer, Side
from cache_core.oplog import replay
from tests.support.oplog_author import Author, Op
from tests.support.oplog_naive import Log

VARIABLE = "RADIXTOP_PEERS"
"""NAME=PYTHON[:FOLDER],... as `radixtop bench core --peer` takes them."""


def named_peers() -> list[Peer]:
    """Return the peers that the environment names."""
    return [Peer.parse(text) for text in os.environ.get(VARIABLE, "").split(",") if text]


def open_sides(stack: ExitStack) -> Iterator[Side]:
    """Start both tree cores of each peer; they end with the stack."""
    for peer in named_peers():
        for core in CORES:
            yield stack.enter_context(Side(f"{peer.name} {core}", f"sglang-{core}", peer))


class PeerAuthor(Author):
    """Writes logs within what SGLang promises: a window is released early once a whole one was decoded."""

    WINDOWS = (None, 4, 6, 16, 24, 100, 128)

    def release_swa(self) -> Op | None:
        op = super().release_swa()
        if op is None or len(self.replay.requests[op["rid"]].outputs) < self.log["config"]["window"]:
            return None
        return op


def comparable(log: Log, version: str) -> bool:
    """Say whether a version of SGLang follows the rules that a log asks for.

    Hits are counted per insert before 0.5.23 and per request since; with fifo the unified tree splits a node's age
    otherwise than the logs' rules for full attention alone; 0.5.20 keeps too short a window where that is longer
    than a page and no multiple of it.
    """
    config = log["config"]
    old = version == "0.5.20"
    if config["policy"] in ("lfu", "slru") and config["hit_rule"] != ("insert" if old else "request"):
        return False
    if config["policy"] in ("fifo", "filo") and log["cache"] == "full":
        return False
    window, page = config.get("window"), config["page_size"]
    return not (old and window is not None and window > page and window % page)


def written(seed: int, operations: int = 120) -> Log:
    """Return the log of a seed."""
    return PeerAuthor(seed).write(operations)


def difference(log: Log, theirs: Log) -> str | None:
    """Return the first operation whose outcome or whose state after it is not ours, or None."""
    ours = replay(log)
    for number, (op, mine, other) in enumerate(zip(log["ops"], ours["ops"], theirs["ops"], strict=False)):
        known = [own if value is None else value for own, value in zip(mine["st"], other["st"], strict=False)]
        if mine["out"] != other["out"] or mine["st"] != known:
            return f"{log['id']} {log['config']} op {number} {op}: ours {mine}, theirs {other}"
    return None


def first_difference(side: Side, log: Log) -> str | None:
    """Run a log on both and return their first difference."""
    theirs: dict[str, Any] = side.ask("replay", log=log)
    return difference(log, theirs)


def version_of(side: Side) -> str:
    """Return the version of SGLang that a side runs."""
    return str(side.about["version"])
