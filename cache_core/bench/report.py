"""The benchmark's document as text: one table per kind of measurement, ours first, each peer with its ratio."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cache_core.bench.table import table

Json = Mapping[str, Any]

_OPERATIONS = (
    "match",
    "match_hit",
    "match_again",
    "lock",
    "insert",
    "unlock",
    "tree_ops",
    "allocate",
    "gather",
    "request",
    "key",
)
_NAMES = {
    "tree_ops": "match+lock+insert+unlock",
    "match_hit": "match, all hit",
    "match_again": "match, the same key again",
    "gather": "slots of a match",
    "request": "a request's whole life",
    "key": "key from a list of ints",
}

_LIVES_DIFFER = f"{_NAMES['request']}: ours decodes the replies of W2 token by token, the peers' each at once."
"""What must be known to compare the lives of requests."""


def tables(document: Json) -> str:
    """Return everything that was measured as Markdown tables."""
    columns = list(document["columns"])
    evicted, matched = ("leaves", "components", "evicted"), ("tokens", "page_size", "components")
    parts = [
        f"us, p50 / p99 of single calls, medians of {document['runs']} runs in turns; xN: N times as much as ours.",
        *(_requests_table(done, columns) for done in document["requests"]),
        _LIVES_DIFFER if document["requests"] and len(columns) > 1 else "",
        _cases_table("evict 300 tokens (W4)", document["evict"], evicted, columns),
        _growth(document["evict"]),
        _cases_table("match of one long prefix (W5)", document["long_match"], matched, columns),
        _memory_table(document["memory"], columns),
        *(f"left out: {reason}" for reason in document["failures"].values()),
    ]
    return "\n\n".join(part for part in parts if part)


def _requests_table(done: Json, columns: Sequence[str]) -> str:
    title = f"{done['workload']} page {done['page_size']}, {done['components']}"
    rows = [
        [_NAMES.get(operation, operation), *_cells(done, operation, columns)]
        for operation in _OPERATIONS
        if operation in done["figures"][columns[0]]
    ]
    return table([title, *columns], rows)


def _cases_table(title: str, cases: Sequence[Json], names: Sequence[str], columns: Sequence[str]) -> str:
    rows = []
    for case in cases:
        label = ", ".join(_label(name, case[name]) for name in names)
        operations = case["figures"][columns[0]]
        rows += [
            [f"{_NAMES.get(operation, operation)}: {label}", *_cells(case, operation, columns)]
            for operation in operations
        ]
    return table([title, *columns], rows)


def _label(name: str, value: object) -> str:
    if isinstance(value, int):
        return f"{value:,} {name}" if name != "page_size" else f"page {value}"
    return str(value)


def _cells(case: Json, operation: str, columns: Sequence[str]) -> Iterator[str]:
    for column in columns:
        figure = case["figures"].get(column, {}).get(operation)
        if figure is None:
            yield "-"
            continue
        text = _us(figure["p50_us"]) + (f" / {_us(figure['p99_us'])}" if "p99_us" in figure else "")
        ratio = case["ratios"].get(column, {}).get(operation)
        yield text if ratio is None else f"{text} x{ratio:,.1f}"


def _growth(evictions: Sequence[Json]) -> str:
    """Return how our own evictions grow from the smallest to the largest tree."""
    lines = []
    for components, kind in dict.fromkeys((case["components"], case["evicted"]) for case in evictions):
        same = [case for case in evictions if (case["components"], case["evicted"]) == (components, kind)]
        small, large = (next(iter(case["figures"].values()))["evict"]["p50_us"] for case in (same[0], same[-1]))
        lines.append(
            f"our evict of {kind} tokens, {components}: {large / small:.2f} times as long at {same[-1]['leaves']:,} "
            f"leaves as at {same[0]['leaves']:,}"
        )
    return "\n".join(lines)


def _memory_table(cases: Sequence[Json], columns: Sequence[str]) -> str:
    """Return what the trees take; nothing where it was not measured."""
    rows = []
    for case in cases:
        for name, title in (("bytes_per_node", "RSS bytes/node"), ("traced_bytes_per_key", "tracemalloc bytes/key")):
            cells = [_bytes(case, column, name) for column in columns]
            rows.append([f"{title}, {case['components']}", *cells])
    return table(["memory, a fresh process each", *columns], rows)


def _bytes(case: Json, column: str, name: str) -> str:
    figures = case["figures"].get(column)
    if figures is None:
        return "-"
    ratio = case["ratios"].get(column) if name == "bytes_per_node" else None
    return f"{figures[name]:,.0f}" + ("" if ratio is None else f" x{ratio:.1f}")


def scale_table(measured: Sequence[Json]) -> str:
    """Return what operations cost at a size and at half of it."""
    rows = [
        [
            f"{each['size']:,} {each['unit']}",
            each["operation"],
            _us(each["half_us"]),
            _us(each["us"]),
            f"x{each['growth']:.2f}",
            f"x{each['may_grow']:.0f}",
        ]
        for each in measured
    ]
    return table(["size", "operation", "us at half the size", "us", "growth", "expected"], rows)


def _us(value: float) -> str:
    return f"{value:,.0f}" if value >= 1_000 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
