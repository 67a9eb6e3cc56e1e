"""The four-way comparison as one table with its verdicts, or as one document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict

from radixtop.bench.four_way import Comparison
from radixtop.bench.predictions import Verdict, judge

_HEAD = ("arrival", "way", "hit rate", "prefilled", "TTFT mean", "TTFT p99", "tokens/s")
_WIDTHS = (-12, -11, 9, 10, 10, 10, 9)
"""Columns of a negative width keep to the left."""

_TIMES = {"cpu": "times are CPU time of the process, the fastest run of each", "wall": "the fastest run of each"}


def write(compared: Comparison, as_json: bool) -> None:
    """Write the comparison to stdout."""
    text = json.dumps(document(compared), indent=2) if as_json else "\n".join(lines(compared))
    sys.stdout.write(text + "\n")


def document(compared: Comparison) -> dict[str, object]:
    """Return table and verdicts by name."""
    return {**asdict(compared), "predictions": [asdict(verdict) for verdict in judge(compared.rows)]}


def lines(compared: Comparison) -> Iterator[str]:
    """Yield the table, then the verdicts."""
    yield _line(_HEAD)
    for row in compared.rows:
        yield _line(
            (
                row.arrival,
                row.way,
                f"{row.hit_rate:.1%}",
                f"{row.prefilled_tokens:,}",
                f"{row.ttft_mean_ms:,.0f} ms",
                f"{row.ttft_p99_ms:,.0f} ms",
                f"{row.tokens_per_s:,.0f}",
            )
        )
    yield f"({_TIMES[compared.time]})"
    yield ""
    yield from map(_verdict, judge(compared.rows))


def _line(cells: Sequence[str]) -> str:
    padded = (
        cell.ljust(-width) if width < 0 else cell.rjust(width) for cell, width in zip(cells, _WIDTHS, strict=True)
    )
    return " ".join(padded).rstrip()


def _verdict(verdict: Verdict) -> str:
    said = "confirmed" if verdict.confirmed else "not confirmed"
    return f"{verdict.prediction}, {verdict.arrival}: {said} ({verdict.evidence})"
