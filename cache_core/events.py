"""The records a cache emits: their kinds, their fields, and the sink that takes them.

A record on its way out is a flat tuple of integers: a head word, then the fields of its kind in the order of
the class below. The head holds the kind and the number of words that follow, so that a reader skips kinds it
does not know; `event_codec` makes heads and turns words back into the classes. This module is a leaf: it imports
nothing of the project but three records of their own file, and everything else may import it.

Conventions: `at` and `*_ns` are nanoseconds of `time.perf_counter_ns` (one clock for all processes of a Linux
machine), and a duration of 0 was not measured; a node, a request, a namespace and a label are named by integers; -1
stands for "none" where zero is a value, and for a count that its source does not tell. The sequence number of a
record is its position in the stream and is kept by the block it travels in.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from cache_core.reasons import EvictionCause as EvictionCause
from cache_core.reasons import NodeForked as NodeForked
from cache_core.reasons import NodeTokenKeys as NodeTokenKeys

RawRecord = tuple[int, ...]
"""A head word and the fields of one record."""

FLUSH_RECORDS = 64
"""An emitter flushes its sink once this many records wait in it."""

WORDS_SHIFT = 16
KIND_MASK = (1 << WORDS_SHIFT) - 1
"""A head word is kind | words << WORDS_SHIFT."""

MAX_COMPONENTS = 62
"""More than any cache has: each is a bit of the word `live`. A record that names a higher one is no record."""


MATCH, INSERT, EVICT, LOCK, UNLOCK = range(1, 6)
"""What the `operation` of a Timing record stands for."""

WHOLE, SPLIT = range(2)
"""What its `phase` stands for: the whole operation, or the splits in it."""

FULL_DETAIL, UNTIMED, SPARSE = range(3)
"""How much a cache tells: everything; no durations; and of the matches that no request asked for, which change
nothing but recency, one in MATCH_SAMPLE."""

MATCH_SAMPLE = 16

MARK_TOKENS = 32
MOST_MARKS = 16
"""A new node is marked at the multiples of MARK_TOKENS inside it, or of the least power of two above that which makes
no more than MOST_MARKS."""


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


class NodeMarked(NamedTuple):
    """Content keys inside the new node `node`: of all tokens up to `first`, up to `step` more, and so on.

    Content that was in the tree before is known again by them, however the tree was cut then and is cut now.
    """

    node: int
    first: int
    step: int
    content_keys: tuple[int, ...]


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
    """A request was matched and locked. prompt = device hit + host hit + recomputed (the branching gap) + new."""

    __slots__ = ()


class RequestPrefilled(_RequestFields):
    """A chunk of `new_tokens` prompt tokens took its slots. From here on the host hit is what was loaded of it."""

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
    """The request can never be served; `reason` says why, `new_tokens` what it would hold at its end, or 0."""

    __slots__ = ()


class Pool(NamedTuple):
    """One component's slots, in tokens: free + evictable + protected + held = total."""

    at: int
    component: int
    free: int
    evictable: int
    protected: int
    held: int


class Transfers(NamedTuple):
    """Copies between device and host that did not end; `untaken` wait to be made. `oldest_ns` is -1 without any."""

    at: int
    under_way: int
    untaken: int
    oldest_ns: int


class Timing(NamedTuple):
    """How long `calls` operations of one kind took, or one phase of them: too short to have a record each."""

    at: int
    operation: int
    phase: int
    calls: int
    duration_ns: int


class ProbeCost(NamedTuple):
    """What watching took of `elapsed_ns` of the cache's thread, about, and how much the cache tells from here on."""

    at: int
    spent_ns: int
    elapsed_ns: int
    detail: int


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
    | SchedulePass | Namespace | Label | NodeTiers | Transfers | Timing | ProbeCost | NodeMarked
    | EvictionCause | NodeForked | NodeTokenKeys
)  # fmt: skip

OUT_OF_SLOTS, ABORTED, TOO_LONG, STOPPED, LOAD_FAILED = range(1, 6)
REASONS = {
    0: "",
    OUT_OF_SLOTS: "out of slots",
    ABORTED: "aborted",
    TOO_LONG: "too long for the pools",
    STOPPED: "stopped",
    LOAD_FAILED: "load failed",
}
"""What the `reason` of a request record stands for."""


class EventSink(Protocol):
    """Takes a cache's records on the cache's own thread.

    An emitter appends raw records to `records` and calls `flush` once FLUSH_RECORDS wait, at the end of an
    engine step, and from an idle timer. `flush` empties `records`; it must not call the cache, and a cache gives up
    a sink that raises.
    """

    records: list[RawRecord]

    def flush(self) -> None:
        """Publish and drop what waits in `records`."""
