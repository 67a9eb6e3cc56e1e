"""Traces for tests: the small ones that were written by hand, the public ones, and files written on the spot."""

from __future__ import annotations

import gzip
import json
import os
from array import array
from collections.abc import Iterable
from pathlib import Path

from profiles.trace import TraceRequest

MADE = Path(__file__).parent.parent / "data" / "traces"


def public_trace(name: str) -> Path:
    """Return a file of the folder of public traces, which a test must need."""
    return Path(os.environ["RADIXTOP_TRACES"]) / name


def expected_cut(name: str) -> dict[str, int]:
    """Return what two other programs counted on a cut of a public trace."""
    counted: dict[str, dict[str, int]] = json.loads(public_trace("expected/oracle_dev_cuts.json").read_text())
    return counted[name]


def write_lines(path: Path, lines: Iterable[object]) -> Path:
    """Write a line of JSON for each object, compressed where the name says so."""
    text = "".join(f"{json.dumps(line)}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def ids_of(request: TraceRequest) -> list[int]:
    """Return the ids of a path."""
    return array("q", request.path).tolist()


def counted(requests: Iterable[TraceRequest]) -> dict[str, int]:
    """Return what `expected_cut` has of requests: how many, their blocks, how many different prefixes those end."""
    listed = list(requests)
    nodes: dict[tuple[str | None, int, int], int] = {}
    for request in listed:
        above = 0
        for each in ids_of(request):
            above = nodes.setdefault((request.namespace, above, each), len(nodes) + 1)
    measured = sum(request.tokens_of(request.blocks) for request in listed[len(listed) // 2 :])
    blocks = sum(request.blocks for request in listed)
    return {"requests": len(listed), "block_refs": blocks, "unique_nodes": len(nodes), "measured_tokens": measured}
