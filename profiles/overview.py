"""What a recording is, in one document: what was recorded and when, how much of it there is, and what is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from cache_core.event_codec import head
from cache_core.events import KIND_MASK, Pool, Record
from probes.blocks import DELTAS, BlockError
from probes.outline import Outline, outline
from probes.recording import RecordingReader, nothing_but_damage
from probes.snapshot import component_name, component_names
from probes.unpack import Unpacker
from profiles.dates import iso_date, origin_of

_KIND_NAMES = {head(cls) & KIND_MASK: cls.__name__ for cls in get_args(Record)}
_MOST_TAIL_BYTES = 1 << 23
"""The pools as they were at the end are looked for in so much of the file; they are told all the time."""


def overview(path: Path, check: bool = False) -> dict[str, object]:
    """Return what a recording is as a JSON document; with `check`, every block is read and its checksum tried.

    What is not known is None. Raises RecordingError when the file is no recording that can be read, or when there is
    nothing but damage in it.
    """
    reader = RecordingReader(path)
    try:
        found = outline(reader, check)
        if found.torn_blocks and not found.totals.blocks:
            raise nothing_but_damage(path)
        return _document(reader, found)
    finally:
        reader.close()


def _document(reader: RecordingReader, found: Outline) -> dict[str, object]:
    config, totals = reader.config, found.totals
    duration_s = max(0, totals.last_at - totals.first_at) / 1e9
    return {
        "file": str(reader.path),
        "size_bytes": reader.size_bytes,
        "version": reader.header.version,
        "target": config.get("target"),
        "workload": config.get("workload"),
        "components": list(component_names(config)),
        "recorded_from": _date(config, totals.first_at) if totals.blocks else None,
        "recorded_to": _date(config, totals.last_at) if totals.blocks else None,
        "duration_s": duration_s,
        "ended": _ending(reader, found),
        "records": {
            "total": totals.records,
            "per_s": totals.records / duration_s if duration_s else None,
            "kinds": _kinds(found),
        },
        "snapshots": {
            "total": totals.snapshots,
            "records": totals.stated_records,
            "ended_s": [max(0, place.ended_at - totals.first_at) / 1e9 for place in found.places],
        },
        "damage": {
            "lost_records": totals.lost_records,
            "torn_blocks": found.torn_blocks,
            "unordered_blocks": found.unordered_blocks,
            "unread_bytes": found.unread_bytes,
            "every_block_was_read": found.is_checked,
        },
        "blocks": totals.blocks,
        "has_index": found.has_index,
        "pools": _pools(reader, found),
        "config": dict(config),
    }


def _ending(reader: RecordingReader, found: Outline) -> dict[str, object]:
    """Return how the file ends: closed in order, still written, or cut off by the end of its writer or later."""
    if found.closed_reason is not None and not found.unread_bytes:
        return {"how": "closed", "reason": found.closed_reason}
    if reader.is_written:
        return {"how": "written", "reason": "a process records to it"}
    if found.unread_bytes:
        return {"how": "cut", "reason": f"its last {found.unread_bytes:,} bytes are no whole block"}
    return {"how": "killed", "reason": "its writer ended without a word; every flush up to then is here"}


def _kinds(found: Outline) -> dict[str, int]:
    """Return the number of records by the names of their kinds, the most frequent first."""
    ranked = sorted(found.kinds.items(), key=lambda item: (-item[1], item[0]))
    return {_KIND_NAMES.get(kind, f"kind {kind}"): count for kind, count in ranked if count}


def _pools(reader: RecordingReader, found: Outline) -> dict[str, dict[str, int]]:
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
    fields = ("free", "evictable", "protected", "held")
    return {
        component_name(names, number): {field: getattr(pool, field) for field in fields}
        for number, pool in sorted(last.items())
    }


def _date(config: Mapping[str, object], at: int) -> str | None:
    """Return a time of the records by date, if the configuration has one moment on both clocks."""
    origin = origin_of(config)
    return iso_date(origin.date_ns(at), 3) or None if origin is not None else None
