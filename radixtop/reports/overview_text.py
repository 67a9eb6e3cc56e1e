"""What a recording is, as lines for a person: a topic at the left, its figures behind it."""

from __future__ import annotations

from collections.abc import Iterator

from probes.plural import plural
from profiles.overview import Damage, Overview, SnapshotCounts
from radixtop.render.chrome import setup_of
from radixtop.render.lines import clean
from radixtop.render.units import UNKNOWN, duration, grouped, rate, share, size

_TOPIC_CELLS = 11
_MOST_CELLS = 160


def lines(found: Overview) -> Iterator[str]:
    """Yield the lines of an overview. Nothing in them can drive a terminal."""
    for topic, text in _topics(found):
        yield f"{topic:<{_TOPIC_CELLS}} {clean(text)[:_MOST_CELLS]}".rstrip()


def _topics(found: Overview) -> Iterator[tuple[str, str]]:
    config, records = found.config, found.records
    yield "file", f"{found.file}, {size(found.size_bytes)}, format version {found.version}"
    target, workload = (str(name or UNKNOWN) for name in (found.target, found.workload))
    yield "target", f"{target}, workload {workload}, process {config.get('pid', UNKNOWN)}"
    yield "cache", setup_of(config) or UNKNOWN
    yield "recorded", f"from {_date(found.recorded_from)} to {_date(found.recorded_to)}"
    yield "length", duration(found.duration_s * 1e9)
    yield "ended", f"{found.ended.how}: {found.ended.reason or 'no reason told'}"
    yield "records", f"{grouped(records.total)}, {rate(records.per_s)}"
    for name, count in records.kinds.items():
        yield "", f"{name:<18} {grouped(count):>14} {share(count / max(1, records.total)):>6}"
    yield "snapshots", _snapshots(found.snapshots)
    yield "damage", _damage(found.damage)
    for name, pool in found.pools.items():
        slots = config.get(f"{name}_slots")
        of = f" of {slots:,}" if isinstance(slots, int) else ""
        states = f"{pool.free:,} free, {pool.evictable:,} evictable, {pool.protected:,} protected, {pool.held:,} held"
        yield f"pool {name}", states + of


def _snapshots(snapshots: SnapshotCounts) -> str:
    if not snapshots.total:
        return "none"
    last = f", the last one whole after {duration(snapshots.ended_s[-1] * 1e9)}" if snapshots.ended_s else ""
    return f"{grouped(snapshots.total)} with {grouped(snapshots.records)} records{last}"


def _damage(damage: Damage) -> str:
    named = (
        ("lost record", damage.lost_records), ("damaged block", damage.torn_blocks),
        ("unordered block", damage.unordered_blocks), ("unread byte", damage.unread_bytes),
    )  # fmt: skip
    seen = [plural(count, name) for name, count in named if count]
    looked = "" if damage.every_block_was_read else "; not every block was read, --check does that"
    return (", ".join(seen) or "none") + looked


def _date(date: str | None) -> str:
    """Return a date to the second."""
    return UNKNOWN if date is None else f"{date[:10]} {date[11:19]} UTC"
