"""The records a cache emits: their kinds, their fields, and the sink that takes them.

A record on its way out is a flat tuple of integers: a head word, then the fields of its kind in the order of
the class below. The head holds the kind and the number of words that follow, so that a reader skips kinds it
does not know. Readers turn the words back into the classes with `decode`. This module is a leaf: it imports
nothing of the project, and everything else may import it.

Conventions: `at` and `*_ns` are nanoseconds of `time.perf_counter_ns` (one clock for all processes of a Linux
machine); a node, a request, a namespace and a label are named by integers; -1 stands for "none" where zero is
a value. The sequence number of a record is its position in the stream and is kept by the block it travels in.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

RawRecord = tuple[int, ...]
"""A head word and the fields of one record."""

FLUSH_RECORDS = 64
"""An emitter flushes its sink once this many records wait in it."""

WORDS_SHIFT = 16
KIND_MASK = (1 << WORDS_SHIFT) - 1
"""A head word is kind | words << WORDS_SHIFT."""

MAX_COMPONENTS = 62
"""More than any cache has: each is a bit of the word `live`. A record that names a higher one is no record."""


class Match(NamedTuple):
    """A walk for reusable tokens. `node` is where the device hit ends, `full_node` where the full hit ends."""

    at: int
    duration_ns: int
    namespace: int
    queried_tokens: int
    device_hit_tokens: int
    host_hit_tokens: int
    full_hit_tokens: int
    branching_point: int
    nodes_walked: int
    node: int
    full_node: int
    request: int


class Insert(NamedTuple):
    """A write-back. `branch_inserted` is 1 or 0 when the caller had a branching point to keep, else -1."""

    at: int
    duration_ns: int
    namespace: int
    key_tokens: int
    present_tokens: int
    new_tokens: int
    duplicate_tokens: int
    swa_from: int
    branch_inserted: int
    node: int
    request: int


class Evict(NamedTuple):
    """One component's share of an evict call; `freed_tokens` has one entry per component of the cache."""

    at: int
    duration_ns: int
    component: int
    asked_tokens: int
    leaves_considered: int
    queue_build_ns: int
    pops: int
    stale_pops: int
    victims: int
    cascades: int
    freed_tokens: tuple[int, ...]


class Lock(NamedTuple):
    """A path was locked at `node`; `moved_tokens` went from evictable to protected, per component."""

    at: int
    node: int
    moved_tokens: tuple[int, ...]


class Unlock(NamedTuple):
    """A receipt was given back at `node`; `moved_tokens` went from protected to evictable, per component."""

    at: int
    node: int
    moved_tokens: tuple[int, ...]


class FreeWindow(NamedTuple):
    """A request gave back its sliding-window slots of positions [start, end)."""

    at: int
    request: int
    start: int
    end: int


class NodeAdded(NamedTuple):
    """A node as it is at this point of the stream: new, or stated again by a snapshot.

    `live` is a bit per component, bit 0 for the first one. `anchored` counts the receipts held on exactly this
    node; a new node has none. `parent` is 0 under the root. `start` and `length` are tokens.
    """

    at: int
    node: int
    parent: int
    start: int
    length: int
    content_key: int
    namespace: int
    live: int
    hit_count: int
    priority: int
    anchored: int
    touched_at: int


class NodeSplit(NamedTuple):
    """`node` gave its first `length` tokens to a new parent `upper`; every other field is the upper node's."""

    at: int
    node: int
    upper: int
    parent: int
    start: int
    length: int
    content_key: int
    namespace: int
    live: int
    hit_count: int
    priority: int


class NodeRemoved(NamedTuple):
    """A leaf left the tree."""

    at: int
    node: int


class Tombstoned(NamedTuple):
    """A component's data left a node that stays."""

    at: int
    node: int
    component: int


class Recovered(NamedTuple):
    """A component's data is present again on a tombstone."""

    at: int
    node: int
    component: int


class NodeTouched(NamedTuple):
    """The counters of a node as they are now; batched, so several inserts may share one."""

    node: int
    hit_count: int
    priority: int


class NodeLabelled(NamedTuple):
    """From position `start` on, the tokens of `node` belong to the workload segment `label`."""

    node: int
    start: int
    label: int


class NodeTiers(NamedTuple):
    """Where a node's data is now, a bit per component: `live` on the device, `copied` whole in host memory."""

    at: int
    node: int
    live: int
    copied: int


class CacheReset(NamedTuple):
    """Every node is gone and every slot is free."""

    at: int


class _RequestFields(NamedTuple):
    at: int
    request: int
    prompt_tokens: int
    device_hit_tokens: int
    host_hit_tokens: int
    recomputed_tokens: int
    new_tokens: int
    output_tokens: int
    reason: int


class RequestQueued(_RequestFields):
    """A request waits for admission; only `prompt_tokens` is known."""

    __slots__ = ()


class RequestAdmitted(_RequestFields):
    """A request was matched and locked. prompt = device hit + host hit + recomputed (the branching gap) + new.

    `host_hit_tokens` are what it found in host memory. Its later records have what was loaded of that, which is 0
    where there was no room or too little to load.
    """

    __slots__ = ()


class RequestPrefilled(_RequestFields):
    """A prefill chunk took its slots; `new_tokens` is the number of prompt tokens that it computes."""

    __slots__ = ()


class RequestFirstToken(_RequestFields):
    """The first output token was sampled."""

    __slots__ = ()


class RequestFinished(_RequestFields):
    """The request ended and its tokens went into the cache."""

    __slots__ = ()


class RequestRetracted(_RequestFields):
    """The request was preempted or aborted; what was not yet indexed is lost (`recomputed_tokens`)."""

    __slots__ = ()


class RequestRefused(_RequestFields):
    """The request can never be served; `reason` says why."""

    __slots__ = ()


class Pool(NamedTuple):
    """One component's slots, in tokens: free + evictable + protected + held = total."""

    at: int
    component: int
    free: int
    evictable: int
    protected: int
    held: int


class EngineStep(NamedTuple):
    """One forward pass of the engine."""

    at: int
    duration_ns: int
    prefill_tokens: int
    decode_tokens: int
    running: int
    waiting: int


class SchedulePass(NamedTuple):
    """The waiting requests were put in order. `deprioritised` had better wait for what others are about to store.

    `fell_back` is 1 when more than `limit` waited and the schedule gave way to first come, first served; `limit` is
    -1 for a schedule without one.
    """

    at: int
    duration_ns: int
    waiting: int
    deprioritised: int
    fell_back: int
    limit: int


class Namespace(NamedTuple):
    """The name of a namespace id; written once, before its first use."""

    id: int
    text: str


class Label(NamedTuple):
    """The name of a workload segment; written once, before its first use."""

    id: int
    text: str


Record = (
    Match | Insert | Evict | Lock | Unlock | FreeWindow | NodeAdded | NodeSplit | NodeRemoved | Tombstoned
    | Recovered | NodeTouched | NodeLabelled | CacheReset | RequestQueued | RequestAdmitted | RequestPrefilled
    | RequestFirstToken | RequestFinished | RequestRetracted | RequestRefused | Pool | EngineStep
    | SchedulePass | Namespace | Label | NodeTiers
)  # fmt: skip

OUT_OF_SLOTS, ABORTED, TOO_LONG, STOPPED, LOAD_FAILED = 1, 2, 3, 4, 5
REASONS = {
    0: "",
    OUT_OF_SLOTS: "out of slots",
    ABORTED: "aborted",
    TOO_LONG: "too long for the pools",
    STOPPED: "stopped",
    LOAD_FAILED: "load from the host failed",
}
"""What the `reason` of a request record stands for."""

_KINDS: tuple[tuple[int, type[Record]], ...] = (
    (1, Match), (2, Insert), (3, Evict), (4, Lock), (5, Unlock), (6, FreeWindow), (16, NodeAdded),
    (17, NodeSplit), (18, NodeRemoved), (19, Tombstoned), (20, Recovered), (21, NodeTouched),
    (22, NodeLabelled), (23, CacheReset), (24, NodeTiers), (32, RequestQueued), (33, RequestAdmitted),
    (34, RequestPrefilled), (35, RequestFirstToken), (36, RequestFinished), (37, RequestRetracted),
    (38, RequestRefused), (48, Pool), (49, EngineStep), (50, SchedulePass), (64, Namespace), (65, Label),
)  # fmt: skip
TRAILING: frozenset[type[Record]] = frozenset({Evict, Lock, Unlock})
"""The classes whose last field takes the remaining words."""

TEXT: frozenset[type[Record]] = frozenset({Namespace, Label})
"""The classes whose words are a text; every other record is its fields, a word each."""

COMPONENT_AT: dict[type[Record], int] = {
    cls: cls._fields.index("component") for cls in (Evict, Tombstoned, Recovered, Pool)
}
"""Which word of a record names a component, for the classes that have one."""

_CLASS_OF = dict(_KINDS)
_KIND_OF = {cls: kind for kind, cls in _KINDS}


def head(cls: type[Record], components: int = 0) -> int:
    """Return the head word of records of `cls`; `components` is the length of a trailing per-component field."""
    fields = len(cls._fields)
    words = fields - 1 + components if cls in TRAILING else fields
    return _KIND_OF[cls] | words << WORDS_SHIFT


def text_record(cls: type[Record], id_: int, text: str) -> RawRecord:
    """Return the raw record of a namespace or label: its id, its length in bytes, and its UTF-8 as words."""
    raw = text.encode("utf-8", "surrogatepass")
    padded = raw + bytes(-len(raw) % 8)
    words = [int.from_bytes(padded[i : i + 8], "little", signed=True) for i in range(0, len(padded), 8)]
    return (_KIND_OF[cls] | (2 + len(words)) << WORDS_SHIFT, id_, len(raw), *words)


def decode(kind: int, words: tuple[int, ...]) -> Record | None:
    """Return the record of one kind and its words, or None when the kind is not known here.

    A record with more words than its class has fields comes from a newer writer: the extra words are left
    out. Raises ValueError when words are missing, or when a component is named that no cache can have.
    """
    cls = _CLASS_OF.get(kind)
    if cls is None:
        return None
    if cls in TEXT:
        return _decode_text(cls, words)
    fields = len(cls._fields)
    at = COMPONENT_AT.get(cls)
    if at is not None and len(words) > at and not 0 <= words[at] < MAX_COMPONENTS:
        raise ValueError(f"{cls.__name__} record of component {words[at]}")
    if cls in TRAILING:
        if not fields - 1 <= len(words) < fields + MAX_COMPONENTS:
            raise ValueError(f"{cls.__name__} record of {len(words)} words, at least {fields - 1} expected")
        return cls._make((*words[: fields - 1], words[fields - 1 :]))
    if len(words) < fields:
        raise ValueError(f"{cls.__name__} record of {len(words)} words, {fields} expected")
    return cls._make(words[:fields])


def _decode_text(cls: type[Record], words: tuple[int, ...]) -> Record:
    if len(words) < 2 or not 0 <= words[1] <= 8 * (len(words) - 2):
        raise ValueError(f"{cls.__name__} record whose text does not fit its {len(words)} words")
    raw = b"".join(word.to_bytes(8, "little", signed=True) for word in words[2:])[: words[1]]
    return cls._make((words[0], raw.decode("utf-8", "replace")))


class EventSink(Protocol):
    """Takes a cache's records on the cache's own thread.

    An emitter appends raw records to `records` and calls `flush` once FLUSH_RECORDS wait, at the end of an
    engine step, and from an idle timer. `flush` empties `records`; it must not call the cache, and a cache gives up
    a sink that raises.
    """

    records: list[RawRecord]

    def flush(self) -> None:
        """Publish and drop what waits in `records`."""
