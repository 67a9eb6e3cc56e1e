"""What the RadixAttention chapter predicts of the four ways, held against what was measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from radixtop.bench.four_way import Row

NOTHING_POINTS = 2.0
"""Up to so many points of hit rate are almost nothing, ..."""
NOTHING_TTFT = 1.1
"""... and so many times the mean time to the first token."""
CLIFF_TOKENS = 2.0
"""From so many times the prefilled tokens of the worst way with a tree on, it is a cliff."""

Rows = Mapping[str, Row]
"""The rows of one order of arrival, by way."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A prediction for one order of arrival: whether the figures bear it out, and which figures."""

    prediction: str
    arrival: str
    confirmed: bool
    evidence: str


def judge(rows: Sequence[Row]) -> tuple[Verdict, ...]:
    """Return a verdict on each prediction for each order of arrival."""
    arrivals = dict.fromkeys(row.arrival for row in rows)
    ways = {arrival: {row.way: row for row in rows if row.arrival == arrival} for arrival in arrivals}
    return tuple(
        Verdict(prediction, arrival, *borne_out(ways[arrival]))
        for prediction, borne_out in PREDICTIONS.items()
        for arrival in arrivals
    )


def _page_16(rows: Rows) -> tuple[bool, str]:
    fcfs, page = rows["fcfs"], rows["page 16"]
    lost = 100 * (fcfs.hit_rate - page.hit_rate)
    tokens, ttft = page.prefilled_tokens / fcfs.prefilled_tokens, page.ttft_mean_ms / fcfs.ttft_mean_ms
    cheap = lost <= NOTHING_POINTS and ttft <= NOTHING_TTFT
    return cheap, f"{lost:.1f} points of hit rate lost, {_times(tokens, ttft)} of fcfs"


def _lpm(rows: Rows) -> tuple[bool, str]:
    fcfs, lpm = rows["fcfs"], rows["lpm + slru"]
    tokens, ttft = lpm.prefilled_tokens / fcfs.prefilled_tokens, lpm.ttft_mean_ms / fcfs.ttft_mean_ms
    return tokens < 1 and ttft < 1, f"{_times(tokens, ttft)} of fcfs"


def _no_tree(rows: Rows) -> tuple[bool, str]:
    chunk = rows["chunk"]
    trees = [row for way, row in rows.items() if way != "chunk"]
    tokens = chunk.prefilled_tokens / max(row.prefilled_tokens for row in trees)
    ttft = chunk.ttft_mean_ms / max(row.ttft_mean_ms for row in trees)
    return tokens >= CLIFF_TOKENS and ttft > 1, f"{_times(tokens, ttft)} of the worst tree"


def _times(tokens: float, ttft: float) -> str:
    return f"{tokens:.2f} x prefilled, {ttft:.2f} x mean TTFT"


PREDICTIONS: dict[str, Callable[[Rows], tuple[bool, str]]] = {
    "page 16 costs almost nothing": _page_16,
    "lpm helps when similar requests arrive together": _lpm,
    "no tree is the cliff": _no_tree,
}
