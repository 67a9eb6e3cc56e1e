"""The four-way comparison as one table with its verdicts, or as one document."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict

from cache_core.bench.table import table
from profiles.plain import json_text
from radixtop.bench.four_way import Comparison, Row
from radixtop.bench.predictions import Verdict, judge

_HEAD = ("arrival", "way", "hit rate", "prefilled", "TTFT mean", "TTFT p99", "tokens/s")
_TIMES = {"cpu": "times are CPU time of the process, the fastest run of each", "wall": "the fastest run of each"}


def write(compared: Comparison, as_json: bool) -> None:
    """Write the comparison to stdout."""
    text = json_text(document(compared), indent=2) if as_json else "\n".join(lines(compared))
    sys.stdout.write(text + "\n")


def document(compared: Comparison) -> dict[str, object]:
    """Return table and verdicts by name."""
    return {**asdict(compared), "predictions": [asdict(verdict) for verdict in judge(compared.rows)]}


def lines(compared: Comparison) -> Iterator[str]:
    """Yield the table, then the verdicts."""
    yield table(_HEAD, [_cells(row) for row in compared.rows])
    yield ""
    yield f"({_TIMES[compared.time]})"
    yield ""
    yield from map(_verdict, judge(compared.rows))


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.arrival,
        row.way,
        f"{row.hit_rate:.1%}",
        f"{row.prefilled_tokens:,}",
        f"{row.ttft_mean_ms:,.0f} ms",
        f"{row.ttft_p99_ms:,.0f} ms",
        f"{row.tokens_per_s:,.0f}",
    )


def _verdict(verdict: Verdict) -> str:
    said = "confirmed" if verdict.confirmed else "not confirmed"
    return f"{verdict.prediction}, {verdict.arrival}: {said} ({verdict.evidence})"
