"""Plain classes of the shapes that SGLang's caches had from version to version, and a module of their results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple


class DeviceLength(NamedTuple):
    """A match of 0.5.22 and later."""

    device_prefix_len: int
    last_device_node: int = 7
    host_hit_length: int = 0
    swa_branching_seqlen: int | None = None
    mamba_branching_seqlen: int | None = None
    full_kv_hit_length: int = 0


class DeviceIndices(NamedTuple):
    """A match of 0.5.8: no branching points, no full hit."""

    device_indices: list[int]
    last_device_node: Any = None
    host_hit_length: int = 0


@dataclass
class Key:
    """A key: its tokens and its namespace."""

    token_ids: list[int]
    extra_key: str | None = None

    def __len__(self) -> int:
        return len(self.token_ids)


@dataclass
class Params:
    """What any of the calls takes."""

    key: Key = field(default_factory=lambda: Key([]))
    req: Any = None
    num_tokens: int = 0
    swa_num_tokens: int = 0
    prev_prefix_len: int = 0


@dataclass
class Inserted:
    """What an insert returns."""

    prefix_len: int


@dataclass
class Evicted:
    """What an eviction returns."""

    num_tokens_evicted: int = 0
    swa_num_tokens_evicted: int = 0


@dataclass
class Node:
    """A node that is an object with a number."""

    id: int


class Allocator:
    """Counts free slots of a pool of 100, of which the tree has the others."""

    size = 100

    def __init__(self) -> None:
        self.free = 80

    def available_size(self) -> int:
        return self.free


class Cache:
    """What all of them have. `answer` is what the next match returns."""

    page_size = 1

    def __init__(self) -> None:
        self.token_to_kv_pool_allocator = Allocator()
        self.answer: Any = None
        self.protected = 0

    def match_prefix(self, params: Params) -> Any:
        return self.answer

    def insert(self, params: Params) -> Inserted:
        return Inserted(params.prev_prefix_len)

    def evict(self, params: Params) -> Evicted:
        return Evicted(params.num_tokens, params.swa_num_tokens)

    def inc_lock_ref(self, node: Any) -> None:
        self.protected += 5

    def dec_lock_ref(self, node: Any) -> None:
        self.protected -= 5

    def evictable_size(self) -> int:
        return 20 - self.protected

    def protected_size(self) -> int:
        return self.protected

    def reset(self) -> None:
        self.protected = 0


class RadixCache(Cache):
    """The tree of full attention, whose nodes are objects."""

    def __init__(self) -> None:
        super().__init__()
        self.evictable_leaves = {1, 2, 3}

    def cache_finished_req(self, req: Any, is_insert: bool = True) -> None:
        self.insert(Params(Key(req.origin_input_ids)))

    def cache_unfinished_req(self, req: Any, chunked: bool = False) -> None:
        if req.is_broken:
            raise LookupError("the engine's own")
        self.insert(Params(Key(req.origin_input_ids)))


class SWARadixCache(RadixCache):
    """The older tree with windows, which says nothing of what windows cost a hit."""

    full_evictable_size = swa_evictable_size = Cache.evictable_size
    full_protected_size = swa_protected_size = Cache.protected_size


@dataclass
class Request:
    """A request of the engine."""

    rid: str
    origin_input_ids: list[int]
    output_ids: list[int] = field(default_factory=list)
    fill_ids: list[int] = field(default_factory=list)
    prefix_indices: list[int] = field(default_factory=list)
    finished_reason: object = None
    is_broken: bool = False


class Results:
    """The module of results of a version."""

    def __init__(self, match: type) -> None:
        self.MatchResult = match
        self.InsertResult = Inserted
        self.EvictResult = Evicted
