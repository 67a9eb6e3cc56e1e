"""How settings and figures of a comparison are written."""

from __future__ import annotations

from collections.abc import Mapping

from profiles.cost_model import DERIVED
from radixtop.compare.row import Figures, Row
from radixtop.render.units import UNKNOWN, count, duration, grouped, share

BEST, FRONT, FAILED, RECORDED = "*", "+", "!", "r"
"""The marks of rows; the best one is on the front as well."""

MARKS = f"{BEST} best hit rate   {FRONT} on the front: nothing that takes less finds as much"
RECORDED_MARK = f"{RECORDED} as recorded"


def value(setting: object) -> str:
    """Return a setting as the command line takes it."""
    if isinstance(setting, bool):
        return "on" if setting else "off"
    if isinstance(setting, int):
        return grouped(setting)
    if isinstance(setting, Mapping):
        return "+".join(f"{name}={part}" for name, part in setting.items()) or "none"
    if isinstance(setting, list | tuple):
        parts = ("=".join(map(str, part)) if isinstance(part, list | tuple) else str(part) for part in setting)
        return "+".join(parts) or "none"
    return "none" if setting is None else str(setting)


def name_of(varied: Mapping[str, object]) -> str:
    """Return what a combination is called."""
    return " ".join(f"{key}={value(setting)}" for key, setting in varied.items())


def mark(row: Row) -> str:
    """Return the mark of a row."""
    own = RECORDED if row.is_recorded else ""
    if row.failure:
        return own + FAILED
    return own + (BEST if row.is_best else FRONT if row.on_front else "")


def reach(figures: Figures | None) -> str:
    """Return 1 / (1 - hit rate) of a row."""
    times = figures.reach if figures else None
    return UNKNOWN if times is None else f"{times:.2f}"


def rate(figures: Figures | None) -> str:
    """Return the hit rate of a row."""
    return share(figures.hit_rate) if figures else UNKNOWN


def memory(row: Row) -> str:
    """Return what a row takes in bytes, as GiB."""
    if row.memory_bytes is None:
        return UNKNOWN
    gib = row.memory_bytes / (1 << 30)
    return f"{gib:,.2f}" if gib >= 1 else f"{gib:.2g}"


def saved(row: Row) -> str:
    """Return what the step to this row saves for what it takes more."""
    per = row.saved_tokens_per_1k_slots if row.saved_tokens_per_gib is None else row.saved_tokens_per_gib
    return "" if per is None else f"+{count(per)}"


def ttft(figures: Figures | None) -> str:
    """Return the mean time to the first token."""
    mean_ms = (figures.ttft_ms or {}).get("mean") if figures else None
    return UNKNOWN if mean_ms is None else duration(mean_ms * 1e6)


def evicted(figures: Figures | None) -> str:
    """Return how many tokens were evicted."""
    return count(figures.evicted_tokens if figures else None)


TTFT_TITLE = f"TTFT ({DERIVED})"
