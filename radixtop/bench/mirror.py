"""What following a cache costs in a tree and in one a tenth of its size: as a table, or one document."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from cache_core.bench.table import table
from probes.bench.mirror import MirrorFigures, measure
from profiles.plain import json_text
from radixtop.bench.blocks import Blocks, follow
from radixtop.bench.figures import narrate

_NAMES = {
    "ns_per_record": "a record in a tick, all probes",
    "ns_per_record_mirror_alone": "a record, the mirror alone",
    "sample_ns": "a tick without records: all samples",
    "ns_per_stated_node": "a node stated to a late joiner",
    "bytes_per_node": "a node in memory, with its indices",
}
"""The figures that are compared, and what they are of."""


_EVENT_NAMES = {
    "ns_decode": "a block, read off the wire",
    "ns_count": "a block, counted",
    "ns_tree": "a block, counted and told of as a tree",
    "ns_mirror": "of it, the mirror of the screens",
}


def run(nodes: int, requests: int, runs: int, as_json: bool, peer: str | None = None) -> None:
    """Measure both trees in turns, then KV events; write the figures, of records the least of all runs."""
    sizes = max(1, nodes // 10), nodes
    found: dict[int, list[MirrorFigures]] = {size: [] for size in sizes}
    for number in range(runs):
        for size in sizes:
            narrate(f"run {number + 1} of {runs}: a tree of {size:,} nodes, {requests:,} requests")
            found[size].append(measure(size, requests))
    small, large = (least(found[size]) for size in sizes)
    events = follow(nodes, peer)
    if as_json:
        told = json_text({**document(small, large), "kv_events": events.describe()}, indent=1)
    else:
        told = f"{text(small, large)}\n\n{events_text(events)}"
    sys.stdout.write(told + "\n")


def least(runs: Sequence[MirrorFigures]) -> MirrorFigures:
    """Return the least of each figure: other jobs only ever add to one."""
    return replace(runs[0], **{name: min(getattr(run, name) for run in runs) for name in _NAMES})


def document(small: MirrorFigures, large: MirrorFigures) -> dict[str, object]:
    """Return both sides, and how many times as much each figure is in the large tree."""
    return {"small": asdict(small), "large": asdict(large), "growth": _growth(small, large)}


def text(small: MirrorFigures, large: MirrorFigures) -> str:
    """Return a row for each figure: in the small tree, in the large one, and how many times as much that is."""
    head = ["what it costs", *(f"{side.nodes:,} nodes" for side in (small, large)), "growth"]
    return table(head, [*_rows(asdict(small), asdict(large), _growth(small, large))])


def events_text(events: Blocks) -> str:
    """Return a row for each figure of KV events, and of RadixView where it was measured."""
    small, large, peer = events.small, events.large, events.radixview
    head = ["following KV events", *(f"{side.blocks:,} blocks" for side in (small, large))]
    rows = [
        [title, *(f"{getattr(side, name) / 1e3:,.2f} us" for side in (small, large))]
        for name, title in _EVENT_NAMES.items()
    ]
    rows.append(["blocks a second, read and counted", *(f"{side.blocks_per_s:,.0f}" for side in (small, large))])
    rows.append(["a block in memory, no text", *(f"{side.bytes_per_block:,.0f} bytes" for side in (small, large))])
    if peer is not None:
        rows.append(["RadixView: a block, read and kept", "-", f"{peer.ns_follow / 1e3:,.2f} us"])
        rows.append(["RadixView: its view after one change", "-", f"{peer.ns_view / 1e6:,.0f} ms"])
        rows.append(["RadixView: a block in memory, no text", "-", f"{peer.bytes_per_block:,.0f} bytes"])
    return table(head, rows)


def _growth(small: MirrorFigures, large: MirrorFigures) -> dict[str, float]:
    return {name: getattr(large, name) / getattr(small, name) for name in _NAMES}


def _rows(small: Mapping[str, Any], large: Mapping[str, Any], growth: Mapping[str, float]) -> Iterator[list[str]]:
    for name, title in _NAMES.items():
        cells = (_with_unit(name, side[name]) for side in (small, large))
        yield [title, *cells, f"x{growth[name]:.2f}"]
    for kind, ns in small["ns_by_kind"].items():
        large_ns = large["ns_by_kind"].get(kind, ns)
        yield [f"a record of {kind}, the mirror alone", f"{ns / 1e3:,.2f} us", f"{large_ns / 1e3:,.2f} us",
               f"x{large_ns / max(ns, 1):.2f}"]  # fmt: skip
    yield ["mean depth of the tree", f"{small['mean_depth']:.1f}", f"{large['mean_depth']:.1f}", "-"]


def _with_unit(name: str, value: float) -> str:
    return f"{value:,.0f} bytes" if name == "bytes_per_node" else f"{value / 1e3:,.2f} us"
