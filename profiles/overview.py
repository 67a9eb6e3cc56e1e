"""What a recording is: what was recorded and when, how much of it there is, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from cache_core.event_codec import head
from cache_core.events import KIND_MASK, Pool, Record
from probes.blocks import DELTAS, BlockError
from probes.recordings.outline import Outline, outline
from probes.recordings.recording import RecordingReader, nothing_but_damage
from probes.recordings.unpack import Unpacker
from probes.snapshot import component_name, component_names
from profiles.dates import iso_date, origin_of

_KIND_NAMES = {head(cls) & KIND_MASK: cls.__name__ for cls in get_args(Record)}
_MOST_TAIL_BYTES = 1 << 23
"""The pools as they were at the end are looked for in so much of the file; they are told all the time."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a file ends: closed in order, still written, cut off behind its last block, or by the end of its writer."""

    how: Literal["closed", "written", "cut", "killed"]
    reason: str | None


@dataclass(frozen=True, slots=True)
class RecordCounts:
    """How many records there are, how many a second, and of which kinds, the most frequent first."""

    total: int
    per_s: float | None
    kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SnapshotCounts:
    """How many whole snapshots there are, their records, and when they ended, in seconds since the first record."""

    total: int
    records: int
    ended_s: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Damage:
    """What is missing or cannot be read; of torn blocks all are known only if every block was read."""

    lost_records: int
    torn_blocks: int
    unordered_blocks: int
    unread_bytes: int
    every_block_was_read: bool


@dataclass(frozen=True, slots=True)
class PoolSlots:
    """The slots of a pool by their state."""

    free: int
    evictable: int
    protected: int
    held: int


@dataclass(frozen=True, slots=True)
class Overview:
    """A recording at a glance; what is not known is None. `pools` are as they were told last, by component."""

    file: str
    size_bytes: int
    version: int
    target: object
    workload: object
    components: tuple[str, ...]
    recorded_from: str | None
    recorded_to: str | None
    duration_s: float
    ended: Ending
    records: RecordCounts
    snapshots: SnapshotCounts
    damage: Damage
    blocks: int
    has_index: bool
    pools: Mapping[str, PoolSlots]
    config: Mapping[str, object]


def overview(path: Path, check: bool = False) -> Overview:
    """Return what a recording is; with `check`, every block is read and its checksum tried.

    Raises RecordingError when the file is no recording that can be read, or when there is nothing but damage in it.
    """
    reader = RecordingReader(path)
    try:
        found = outline(reader, check)
        if found.torn_blocks and not found.totals.blocks:
            raise nothing_but_damage(path)
        return _overview(reader, found)
    finally:
        reader.close()


def _overview(reader: RecordingReader, found: Outline) -> Overview:
    config, totals = reader.config, found.totals
    return Overview(
        file=str(reader.path),
        size_bytes=reader.size_bytes,
        version=reader.header.version,
        target=config.get("target"),
        workload=config.get("workload"),
        components=component_names(config),
        recorded_from=_date(config, totals.first_at) if totals.blocks else None,
        recorded_to=_date(config, totals.last_at) if totals.blocks else None,
        duration_s=_duration_s(found),
        ended=_ending(reader, found),
        records=_records(found),
        snapshots=SnapshotCounts(
            totals.snapshots,
            totals.stated_records,
            tuple(max(0, place.ended_at - totals.first_at) / 1e9 for place in found.places),
        ),
        damage=Damage(
            totals.lost_records, found.torn_blocks, found.unordered_blocks, found.unread_bytes, found.is_checked
        ),
        blocks=totals.blocks,
        has_index=found.has_index,
        pools=_pools(reader, found),
        config=config,
    )


def _duration_s(found: Outline) -> float:
    return max(0, found.totals.last_at - found.totals.first_at) / 1e9


def _ending(reader: RecordingReader, found: Outline) -> Ending:
    if found.closed_reason is not None and not found.unread_bytes:
        return Ending("closed", found.closed_reason)
    if reader.is_written:
        return Ending("written", "a process records to it")
    if found.unread_bytes:
        return Ending("cut", f"its last {found.unread_bytes:,} bytes are no whole block")
    return Ending("killed", "its writer ended without a word; every flush up to then is here")


def _records(found: Outline) -> RecordCounts:
    ranked = sorted(found.kinds.items(), key=lambda item: (-item[1], item[0]))
    kinds = {_KIND_NAMES.get(kind, f"kind {kind}"): count for kind, count in ranked if count}
    total, duration_s = found.totals.records, _duration_s(found)
    return RecordCounts(total, total / duration_s if duration_s else None, kinds)


def _pools(reader: RecordingReader, found: Outline) -> dict[str, PoolSlots]:
    """Return the pools as they were told last, by the names of their components."""
    names = component_names(reader.config)
    last: dict[int, Pool] = {}
    unpack, stream = Unpacker({Pool}), reader.stream(found.tail)
    while stream.offset < found.tail + _MOST_TAIL_BYTES:
        try:
            raw = stream.next_raw()
            if raw is None:
                break
            if raw.head.kind == DELTAS:
                last.update((pool.component, pool) for pool in unpack(raw) if isinstance(pool, Pool))
        except BlockError:
            break
    return {
        component_name(names, number): PoolSlots(pool.free, pool.evictable, pool.protected, pool.held)
        for number, pool in sorted(last.items())
    }


def _date(config: Mapping[str, object], at: int) -> str | None:
    """Return a time of the records by date, if the configuration has one moment on both clocks."""
    origin = origin_of(config)
    return iso_date(origin.date_ns(at), 3) or None if origin is not None else None
