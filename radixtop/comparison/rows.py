"""The rows of the comparison: a name, what it was before the mark and after it, and whether more is better."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

from radixtop.comparison.page import Comparison
from radixtop.render.units import UNKNOWN, count, duration, grouped, rate, share

Better = Literal["more", "less", "neither"]

SAME_PART = 0.02
"""A change by a smaller part than this is no news."""


class Row(NamedTuple):
    """One figure as text: before the mark, since it, the difference, and all of it since the mark.

    `direction` is 1 for more, -1 for less, 0 for next to none; `trend` is 1 for a change to the better, -1 to the
    worse, 0 where there is none or neither is better.
    """

    name: str
    before: str
    after: str
    change: str
    direction: int
    trend: int
    total: str = ""


class _Kind(NamedTuple):
    """How figures of a kind are written, and how their difference is."""

    text: Callable[[float | None], str]
    change: Callable[[float], str]


def _signed(text: Callable[[float | None], str]) -> Callable[[float], str]:
    return lambda change: ("+" if change > 0 else "-" if change < 0 else "") + text(abs(change))


def points(change: float) -> str:
    """Return a difference of shares in points."""
    digits = 1 if abs(change) < 0.0995 else 0
    shown = round(change * 100, digits)
    return f"{shown:+.{digits}f} points" if shown else "0.0 points"


def _duty(ns_per_s: float | None) -> str:
    """Return how much time something takes of every second."""
    return UNKNOWN if ns_per_s is None else f"{duration(ns_per_s)}/s"


_SHARE = _Kind(share, points)
_RATE = _Kind(rate, _signed(rate))
_DUTY = _Kind(_duty, _signed(_duty))
_TIME = _Kind(duration, _signed(duration))
_COUNT = _Kind(count, _signed(count))


def rows_of(comparison: Comparison) -> list[Row]:
    """Return every row there is; what is not known of a side is "-"."""
    return [*_hit_rows(comparison), *_rate_rows(comparison), *_cost_rows(comparison), *_level_rows(comparison)]


def _row(name: str, kind: _Kind, sides: tuple[float | None, float | None], better: Better, total: str = "") -> Row:
    before, after = sides
    change = "-" if before is None or after is None else kind.change(after - before)
    direction = _direction(before, after)
    trend = 0 if better == "neither" else direction if better == "more" else -direction
    return Row(name, kind.text(before), kind.text(after), change, direction, trend, total)


def _direction(before: float | None, after: float | None) -> int:
    """Return 1 for more, -1 for less, 0 for next to no change or an unknown one."""
    if before is None or after is None or abs(after - before) <= SAME_PART * max(abs(before), abs(after)):
        return 0
    return 1 if after > before else -1


def _hit_rows(comparison: Comparison) -> list[Row]:
    before, since = comparison.before, comparison.since

    def ratio(name: str, over: str, better: Better) -> Row:
        return _row(name, _SHARE, (before.ratio(over, "queried"), since.ratio(over, "queried")), better)

    return [
        ratio("hit rate", "hit", "more"),
        ratio("full hit rate", "full hit", "more"),
        ratio("recomputed share", "recomputed", "less"),
    ]


_RATES: tuple[tuple[str, str, Better], ...] = (
    ("queries", "queries", "neither"),
    ("queried tokens", "queried", "neither"),
    ("hit tokens", "hit", "neither"),
    ("recomputed", "recomputed", "less"),
    ("evictions", "evict calls", "less"),
    ("evicted tokens", "evicted", "less"),
    ("victims", "victims", "less"),
    ("finished", "finished", "more"),
    ("retracted", "retracted", "less"),
    ("refused", "refused", "less"),
    ("prefill tokens", "prefill", "neither"),
    ("decode tokens", "decode", "more"),
)


def _rate_rows(comparison: Comparison) -> list[Row]:
    rows = []
    for name, key, better in _RATES:
        sides = (comparison.before.per_s(key), comparison.since.per_s(key))
        rows.append(_row(name, _RATE, sides, better, grouped(comparison.since.sums.get(key))))
    return rows


def _cost_rows(comparison: Comparison) -> list[Row]:
    before, since = comparison.before, comparison.since
    spent = since.sums.get("evict ns")
    rows = [
        _row(
            "time in evictions", _DUTY, (before.per_s("evict ns"), since.per_s("evict ns")), "less", duration(spent)
        ),
        _row(
            "an eviction",
            _TIME,
            (before.ratio("evict ns", "evict calls"), since.ratio("evict ns", "evict calls")),
            "less",
        ),
    ]
    ttft = (before.ttft, since.ttft)
    for name, quantile in (("ttft mean", "mean"), ("ttft p50, about", "p50"), ("ttft p99, about", "p99")):
        sides = tuple(getattr(one, quantile) if one is not None else None for one in ttft)
        rows.append(_row(name, _TIME, (sides[0], sides[1]), "less"))
    return rows


_LEVELS: tuple[tuple[str, Better], ...] = (
    ("nodes", "neither"),
    ("tokens", "neither"),
    ("tombstones", "less"),
    ("running", "neither"),
    ("waiting", "less"),
)


def _level_rows(comparison: Comparison) -> list[Row]:
    """Return how things stood when it was marked, and how they stand."""
    then = comparison.mark.levels if comparison.mark is not None else {}
    now = comparison.now.levels
    rows = [_row(name, _COUNT, (then.get(name), now.get(name)), better) for name, better in _LEVELS]
    pools = [name for name in now if name.startswith("pool ")]
    return [*rows, *(_row(f"{name} in use", _SHARE, (then.get(name), now.get(name)), "neither") for name in pools)]
