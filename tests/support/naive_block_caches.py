"""Block caches in the plainest way, a node for every block: what `profiles.simulation` has to agree with.

A node is named by its path from the root, namespace first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from profiles.trace import ID_BYTES, TraceRequest

Name = tuple[object, ...]


@dataclass(slots=True)
class Block:
    """When a block was inserted and touched last, and how often it was hit since."""

    made: int
    touched: int
    hits: int = 0


Rank = Callable[[Block], object]

RANKS: dict[str, Rank] = {
    "lru": lambda block: block.touched,
    "leaf_fifo": lambda block: block.made,
    "lfu": lambda block: (block.hits, block.touched),
    "slru": lambda block: (block.hits >= 2, block.touched),
}
"""What orders the leaves of each policy that drops leaves."""


def names_of(request: TraceRequest) -> list[Name]:
    """Return the names of all blocks of a request, from the root on."""
    ids = [request.path[at : at + ID_BYTES] for at in range(0, len(request.path), ID_BYTES)]
    return [(request.namespace, *ids[: count + 1]) for count in range(len(ids))]


def hits_of(requests: Sequence[TraceRequest], policy: str, capacity: int) -> list[int]:
    """Return how many blocks each request hits."""
    if policy == "fifo":
        return list(_queue(requests, capacity))
    if policy == "optimal":
        return list(_optimal(requests, capacity))
    return list(_leaves(requests, capacity, RANKS[policy], keeps_its_own=policy != "lru"))


def order_blind_hits(requests: Sequence[TraceRequest]) -> list[int]:
    """Return how many ids of each request were seen before, wherever that was: what a prefix cache cannot do."""
    seen: set[bytes] = set()
    found = []
    for request in requests:
        ids = [request.path[at : at + ID_BYTES] for at in range(0, len(request.path), ID_BYTES)]
        found.append(sum(1 for name in ids if name in seen))
        seen.update(ids)
    return found


def _leaves(requests: Sequence[TraceRequest], capacity: int, rank: Rank, keeps_its_own: bool) -> Iterator[int]:
    """Serve requests; what one has hit stays while it is served, and what it inserted if it `keeps_its_own`."""
    blocks: dict[Name, Block] = {}
    tick = 0
    for request in requests:
        path = names_of(request)
        hits = _prefix(path, blocks)
        for name in path[:hits]:
            tick += 1
            blocks[name].touched = tick
            blocks[name].hits += 1
        for count in range(hits, len(path)):
            inner = {name[:-1] for name in blocks} | set(path[: count if keeps_its_own else hits])
            leaves = [name for name in blocks if name not in inner]
            if len(blocks) >= capacity:
                if not leaves:
                    break
                del blocks[min(leaves, key=lambda name: rank(blocks[name]))]  # type: ignore[arg-type, return-value]
            if count and path[count - 1] not in blocks:
                break
            tick += 1
            blocks[path[count]] = Block(tick, tick)
        yield hits


def _queue(requests: Sequence[TraceRequest], capacity: int) -> Iterator[int]:
    blocks: dict[Name, None] = {}
    for request in requests:
        path = names_of(request)
        yield _prefix(path, blocks)
        for name in path:
            if name not in blocks and capacity:
                if len(blocks) == capacity:
                    del blocks[next(iter(blocks))]
                blocks[name] = None


def _optimal(requests: Sequence[TraceRequest], capacity: int) -> Iterator[int]:
    paths = [names_of(request) for request in requests]
    kept: set[Name] = set()
    for number, path in enumerate(paths):
        yield _prefix(path, kept)
        later: dict[Name, int] = {}
        for coming in range(len(paths) - 1, number, -1):
            later.update(dict.fromkeys(paths[coming], coming))
        wanted = sorted((kept | set(path)) & later.keys(), key=lambda name: (later[name], len(name)))
        kept = set(wanted[:capacity])


def _prefix(path: Sequence[Name], blocks: object) -> int:
    return next((count for count, name in enumerate(path) if name not in blocks), len(path))  # type: ignore[operator]
