"""What a recording is, as lines for a person: a topic at the left, its figures behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from radixtop.render.chrome import setup_of
from radixtop.render.lines import clean
from radixtop.render.units import UNKNOWN, duration, grouped, rate, share, size

_TOPIC_CELLS = 11
_MOST_CELLS = 160


def lines(found: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of a document made by `profiles.overview.overview`. Nothing in them can drive a terminal."""
    for topic, text in _topics(found):
        yield f"{topic:<{_TOPIC_CELLS}} {clean(text)[:_MOST_CELLS]}".rstrip()


def _topics(found: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    config, records, snapshots, ended = (_part(found, name) for name in ("config", "records", "snapshots", "ended"))
    yield "file", f"{found['file']}, {size(cast(int, found['size_bytes']))}, format version {found['version']}"
    target, workload = (str(found[name] or UNKNOWN) for name in ("target", "workload"))
    yield "target", f"{target}, workload {workload}, process {config.get('pid', UNKNOWN)}"
    yield "cache", setup_of(config) or UNKNOWN
    yield "recorded", f"from {_date(found['recorded_from'])} to {_date(found['recorded_to'])}"
    yield "length", duration(cast(float, found["duration_s"]) * 1e9)
    yield "ended", f"{ended['how']}: {ended['reason'] or 'no reason told'}"
    total = cast(int, records["total"])
    yield "records", f"{grouped(total)}, {rate(cast('float | None', records['per_s']))}"
    for name, count in _part(records, "kinds").items():
        yield "", f"{name:<18} {grouped(cast(int, count)):>14} {share(cast(int, count) / max(1, total)):>6}"
    yield "snapshots", _snapshots(snapshots)
    yield "damage", _damage(_part(found, "damage"))
    for name, pool in _part(found, "pools").items():
        slots = config.get(f"{name}_slots")
        of = f" of {slots:,}" if isinstance(slots, int) else ""
        states = cast(Mapping[str, int], pool)
        yield f"pool {name}", ", ".join(f"{count:,} {state}" for state, count in states.items()) + of


def _snapshots(snapshots: Mapping[str, object]) -> str:
    if not snapshots["total"]:
        return "none"
    ended_s = cast("list[float]", snapshots["ended_s"])
    last = f", the last one whole after {duration(ended_s[-1] * 1e9)}" if ended_s else ""
    return f"{grouped(cast(int, snapshots['total']))} with {grouped(cast(int, snapshots['records']))} records{last}"


def _damage(damage: Mapping[str, object]) -> str:
    named = (
        ("lost record", "lost_records"), ("damaged block", "torn_blocks"), ("unordered block", "unordered_blocks"),
        ("unread byte", "unread_bytes"),
    )  # fmt: skip
    seen = [f"{damage[key]:,} {name}{'s' * (damage[key] != 1)}" for name, key in named if damage[key]]
    looked = "" if damage["every_block_was_read"] else "; not every block was read, --check does that"
    return (", ".join(seen) or "none") + looked


def _part(found: Mapping[str, object], name: str) -> Mapping[str, object]:
    return cast(Mapping[str, object], found[name])


def _date(date: object) -> str:
    """Return a date of the document to the second."""
    return f"{date[:10]} {date[11:19]} UTC" if isinstance(date, str) else UNKNOWN
