"""KV events as the plain lists and maps that go on the wire, in the layouts that SGLang has published.

A layout is named by the first SGLang version that spoke it. What turns plain values into bytes is not here:
msgpack them as they are, the order of fields is theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from cache_core.errors import ConfigError
from cache_core.kv_blocks import AllBlocksCleared, BlockRemoved, BlockStored, KVEvent

NEWEST = "0.5.22"

Plain = list[object] | dict[str, object]
"""An event: an array with its tag first, or a map with its tag as `type`."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How events look: as maps or arrays, and which optional fields there are."""

    maps: bool
    medium: bool
    salt: bool
    lora_name: bool


LAYOUTS: Mapping[str, Layout] = {
    "0.5.1": Layout(maps=False, medium=False, salt=False, lora_name=False),
    "0.5.9": Layout(maps=False, medium=True, salt=False, lora_name=False),
    "0.5.18": Layout(maps=False, medium=True, salt=True, lora_name=False),
    "0.5.20": Layout(maps=True, medium=True, salt=True, lora_name=False),
    "0.5.22": Layout(maps=True, medium=True, salt=True, lora_name=True),
}
"""The layouts by the first version that has them; array layouts cannot name component groups."""


def layout_named(name: str) -> Layout:
    """Return a layout by name. Raises ConfigError, which lists the names."""
    if name not in LAYOUTS:
        raise ConfigError(f"layout {name!r} is unknown; choose from: {', '.join(LAYOUTS)}")
    return LAYOUTS[name]


def to_plain(event: KVEvent, layout: Layout = LAYOUTS[NEWEST]) -> Plain:
    """Return one event in a layout."""
    tag = type(event).__name__
    if isinstance(event, AllBlocksCleared):
        return {"type": tag} if layout.maps else [tag]
    fields = _stored(event, layout) if isinstance(event, BlockStored) else _removed(event, layout)
    if layout.maps:
        return {"type": tag, **fields}
    metadata = fields.pop("metadata", None)
    return [tag, *fields.values(), *([metadata] if metadata else [])]


def batch(ts: float, events: list[Plain], rank: int | None) -> list[object]:
    """Return the envelope of the events of one step, an array in every layout; `ts` is seconds since the epoch."""
    return [ts, events, rank]


def _stored(event: BlockStored, layout: Layout) -> dict[str, object]:
    fields: dict[str, object] = {
        "block_hashes": event.block_hashes,
        "parent_block_hash": event.parent_block_hash,
        "token_ids": event.token_ids,
        "block_size": event.block_size,
        "lora_id": None,
    }
    if layout.medium:
        _put(fields, "medium", event.medium, always=not layout.maps)
    if layout.salt and not layout.maps and event.cache_salt is not None:
        fields["metadata"] = {"cache_salt": event.cache_salt}
    if layout.maps:
        _put(fields, "cache_salt", event.cache_salt)
        _put(fields, "session_id", event.session_id)
        if layout.lora_name:
            _put(fields, "lora_name", event.lora_name)
        if event.group is not None:
            fields["group_idx"] = event.group.index
            fields["kv_cache_spec_kind"] = event.group.kind
            _put(fields, "kv_cache_spec_sliding_window", event.group.window)
    return fields


def _removed(event: BlockRemoved, layout: Layout) -> dict[str, object]:
    fields: dict[str, object] = {"block_hashes": event.block_hashes}
    if layout.medium:
        _put(fields, "medium", event.medium, always=not layout.maps)
    if layout.maps and event.group is not None:
        fields["group_idx"] = event.group.index
    return fields


def _put(fields: dict[str, object], name: str, value: object, always: bool = False) -> None:
    """Add an optional field: absent when it is None in a map, in its place in an array."""
    if always or value is not None:
        fields[name] = value
