"""What engines say about their blocks: every layout that SGLang and vLLM have sent, read into one form.

A batch is an array or a map, and so is each event in it, whatever the other events are. What is unknown (a newer
field, tag or medium) costs nothing but itself; an event that makes no sense is counted and left out, its batch stays.
Payloads are untrusted. Vectors of every layout, with their versions, are in tests/data/kv_events.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from probes.errors import WireError

Hash = int | bytes
"""The name of a block, to be compared and nothing else: an unsigned 64-bit number, or the bytes of a digest."""


def signed_word(name: Hash) -> int:
    """Return the name of a block as a signed word of a record: of a digest, its first eight bytes."""
    number = int.from_bytes(name[:8], "big") if isinstance(name, bytes) else name
    return number - (1 << 64) if number >> 63 else number


DEVICE, HOST = "device", "host"

_TIERS = {
    None: DEVICE,
    "GPU": DEVICE,
    "CPU": HOST,
    "CPU_PINNED": HOST,
    "CPU_TIER1": HOST,
    "DISK": "disk",
    "STORAGE": "storage",
    "EXTERNAL": "external",
}
_UNSIGNED = (1 << 64) - 1
_LONGEST_HASH_BYTES = 64
_LONGEST_NAME = 64
_MOST_KINDS_OF_SKIPPED = 8
_OTHERS = "others"

_STORED_FIELDS = (
    "block_hashes",
    "parent_block_hash",
    "token_ids",
    "block_size",
    "lora_id",
    "medium",
    "lora_name",
    "extra_keys",
    "group_idx",
    "kv_cache_spec_kind",
    "kv_cache_spec_sliding_window",
)
_REMOVED_FIELDS = ("block_hashes", "medium", "group_idx")
_METADATA_SLOT = 6
"""Where vLLM has the name of a LoRA, and SGLang 0.5.18 and 0.5.19 a map of whatever came later."""


class Stored(NamedTuple):
    """Blocks that are there from now on, each below the one before it.

    `parent` names the block before the first, None for none. `tokens` are those of the blocks, as far as they are
    told: not all blocks need be named, so their number says nothing. With `has_bigrams` each position has two of
    them, one after the other. `block_tokens` is the number of positions of a block, 0 where it is not told.
    """

    hashes: Sequence[Hash]
    parent: Hash | None
    tokens: Sequence[int]
    block_tokens: int
    tier: str = DEVICE
    group: int = 0
    has_bigrams: bool = False
    kind: str | None = None
    window_tokens: int | None = None
    lora: str | None = None
    salt: str | None = None
    session: str | None = None
    extra_keys: Sequence[object] = ()


class Removed(NamedTuple):
    """Blocks of which one copy is gone."""

    hashes: Sequence[Hash]
    tier: str = DEVICE
    group: int = 0


class Cleared(NamedTuple):
    """Nothing is there any more, on any tier."""


Event = Stored | Removed | Cleared


class WireBatch(NamedTuple):
    """Events in their order, flushed at `ts` (seconds since 1970 on the sender's clock; nan where it is not told).

    `rank` is the data-parallel rank that they are of, as the sender says. `skipped` counts events that could not be
    read, by what was wrong with them.
    """

    ts: float
    events: tuple[Event, ...]
    rank: int | None = None
    skipped: Mapping[str, int] = MappingProxyType({})


def decode(payload: bytes) -> WireBatch:
    """Return the batch in a payload. Raises WireError when it is none."""
    import msgspec

    try:
        batch = msgspec.msgpack.decode(payload)
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, OverflowError) as error:
        raise WireError(f"a message of {len(payload):,} bytes is no msgpack: {error}", _NO_EVENTS) from error
    ts, events, rank = _envelope(batch)
    skipped: Counter[str] = Counter()
    read: list[Event] = []
    for event in events:
        try:
            read.append(_event(event))
        except _UnreadableError as unreadable:
            skipped[_kept(str(unreadable), skipped)] += 1
    seconds = float(ts) if isinstance(ts, int | float) else math.nan
    return WireBatch(seconds, tuple(read), rank if _is_count(rank) else None, MappingProxyType(dict(skipped)))


_NO_EVENTS = "the port is that of something else than KV events"


class _UnreadableError(Exception):
    """An event that makes no sense; the text says what kind of nonsense."""


def _envelope(batch: Any) -> tuple[Any, list[Any], Any]:
    """Return time, events and rank of a batch."""
    if isinstance(batch, list) and len(batch) >= 2:
        ts, events, rank = (*batch, None)[:3]
    elif isinstance(batch, dict) and "events" in batch:
        ts, events = batch.get("ts"), batch["events"]
        rank = batch.get("data_parallel_rank", batch.get("attn_dp_rank"))
    else:
        raise WireError("a message is msgpack, but no batch of events", _NO_EVENTS)
    if not isinstance(events, list):
        raise WireError("a batch has no list of events", _NO_EVENTS)
    return ts, events, rank


def _event(event: Any) -> Event:
    if isinstance(event, dict):
        tag, fields = event.get("type"), event
    elif isinstance(event, list) and event:
        tag, fields = event[0], {}
    else:
        raise _UnreadableError("an event of no known shape")
    if not isinstance(tag, str):
        raise _UnreadableError("an event without a name")
    read = _READERS.get(tag)
    if read is None:
        raise _UnreadableError(f"unknown event {_name(tag)}")
    return read(fields or _by_position(tag, event))


def _by_position(tag: str, event: list[Any]) -> dict[str, Any]:
    """Return the fields of an event that has no names for them."""
    if tag != "BlockStored":
        return dict(zip(_REMOVED_FIELDS, event[1:], strict=False))
    fields = dict(zip(_STORED_FIELDS, event[1:], strict=False))
    if len(event) > _METADATA_SLOT + 1 and isinstance(event[_METADATA_SLOT + 1], dict):
        fields |= {"lora_name": None, **event[_METADATA_SLOT + 1]}
    return fields


def _stored(fields: Mapping[str, Any]) -> Stored:
    get = fields.get
    tokens, has_bigrams = _tokens(get("token_ids"))
    parent, lora = get("parent_block_hash"), get("lora_name")
    if lora is None:
        lora = get("lora_id")
    extra_keys = get("extra_keys")
    return Stored(
        _hashes(get("block_hashes")),
        None if parent is None else _hashes([parent])[0],
        tokens,
        _count(get("block_size"), "block_size"),
        _tier(get("medium")),
        _count(get("group_idx"), "group_idx"),
        has_bigrams,
        _text(get("kv_cache_spec_kind")),
        get("kv_cache_spec_sliding_window") if _is_count(get("kv_cache_spec_sliding_window")) else None,
        _text(lora),
        _text(get("cache_salt")),
        _text(get("session_id")),
        extra_keys if isinstance(extra_keys, list) else (),
    )


def _removed(fields: Mapping[str, Any]) -> Removed:
    get = fields.get
    return Removed(_hashes(get("block_hashes")), _tier(get("medium")), _count(get("group_idx"), "group_idx"))


def _cleared(_: Mapping[str, Any]) -> Cleared:
    return Cleared()


_READERS: Mapping[str, Callable[[Mapping[str, Any]], Event]] = {
    "BlockStored": _stored,
    "BlockRemoved": _removed,
    "AllBlocksCleared": _cleared,
}


def _hashes(raw: Any) -> list[Hash]:
    """Return the names of blocks; SGLang's are signed, and a name is one wherever it stands."""
    if not isinstance(raw, list):
        raise _UnreadableError("no list of hashes")
    try:
        return [each & _UNSIGNED for each in raw]
    except TypeError:
        return [_hash(each) for each in raw]


def _hash(raw: Any) -> Hash:
    if isinstance(raw, bytes) and 0 < len(raw) <= _LONGEST_HASH_BYTES:
        return raw
    if isinstance(raw, int):
        return raw & _UNSIGNED
    raise _UnreadableError("a hash that is none")


def _tokens(raw: Any) -> tuple[Sequence[int], bool]:
    """Return tokens, and whether there are two of each position."""
    if raw is None:
        return (), False
    if not isinstance(raw, list):
        raise _UnreadableError("no list of tokens")
    if raw and isinstance(raw[0], list):
        return _pairs(raw), True
    if set(map(type, raw)) - {int}:
        raise _UnreadableError("a token that is none")
    return raw, False


def _pairs(raw: list[Any]) -> list[int]:
    flat = [token for pair in raw if isinstance(pair, list) for token in pair]
    if len(flat) != 2 * len(raw) or set(map(type, flat)) - {int}:
        raise _UnreadableError("a token that is none")
    return flat


def _tier(medium: Any) -> str:
    """Return where blocks are, in one word for all engines; an unknown word is kept."""
    try:
        return _TIERS[medium]
    except (KeyError, TypeError):
        if not isinstance(medium, str):
            raise _UnreadableError("a medium that is none") from None
        return _name(medium).lower()


def _count(raw: Any, what: str) -> int:
    if raw is None:
        return 0
    if not _is_count(raw):
        raise _UnreadableError(f"{what} that is none")
    return int(raw)


def _is_count(raw: Any) -> bool:
    return type(raw) is int and 0 <= raw < 1 << 31


def _text(raw: Any) -> str | None:
    """Return a word of the sender, cut to what a screen has room for."""
    return None if raw is None else _name(str(raw) if isinstance(raw, str | int) else "?")


def _name(word: str) -> str:
    return "".join(filter(str.isprintable, word[:_LONGEST_NAME])) or "?"


def _kept(reason: str, counts: Mapping[str, int]) -> str:
    """Return what to count a reason under: a stream that makes up new ones gets no more room."""
    return reason if reason in counts or len(counts) < _MOST_KINDS_OF_SKIPPED else _OTHERS
