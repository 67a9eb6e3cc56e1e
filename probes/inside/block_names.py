"""How KV events call the blocks that nodes of an SGLang cache end with.

A node knows the hashes of its blocks, and those are the names in events, but for keys of a namespace: there a node's
hashes have the namespace in them, and events may not. What is called how is seen when blocks are stored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from probes.inside.node import Name
from probes.inside.structure import stored_names
from probes.kv.wire import signed_word

MOST_ALIASES = 1 << 18
"""Blocks that are called otherwise than their node says; of more, the oldest are forgotten."""

UNKNOWN = -1


class BlockNames:
    """Names the nodes of one cache. `by_nodes` says that events call blocks as their nodes do."""

    def __init__(self, *, by_nodes: bool = False) -> None:
        self._by_nodes = by_nodes
        self._aliases: dict[int, Name] = {}

    def of(self, cache: Any, node: Any) -> Name:
        """Return the name of the last block of a node, a number or an object; UNKNOWN of one without."""
        told = _last_hash(cache, node)
        if self._by_nodes:
            return told if isinstance(told, str) else UNKNOWN
        said = _word(told)
        return self._aliases.get(said, said) if self._aliases else said

    def learn(self, cache: Any, node: Any, events: Iterable[Any]) -> None:
        """Take note of what blocks are called that were just stored, the last of which are those of a node."""
        last = next((names[-1] for event in reversed(list(events)) if (names := stored_names(event))), None)
        if last is None or _word(_last_hash(cache, node)) == last:
            return
        stored = [name for event in events for name in stored_names(event)]
        hashes = _hashes(cache, node, len(stored))
        for said, name in zip(reversed(hashes), reversed(stored), strict=False):
            self._aliases[_word(said)] = name
        while len(self._aliases) > MOST_ALIASES:
            del self._aliases[next(iter(self._aliases))]


def _last_hash(cache: Any, node: Any) -> object:
    read = getattr(getattr(cache, "tree_core", None), "get_last_hash_value", None)
    if isinstance(node, int):
        return None if read is None else read(node)
    hashes = getattr(node, "hash_value", None)
    return hashes[-1] if hashes else None


def _hashes(cache: Any, node: Any, count: int) -> list[object]:
    """Return the hashes of a node's blocks, and those above it where it has fewer than `count`."""
    core: Any = getattr(cache, "tree_core", None)
    if not isinstance(node, int):
        return list(getattr(node, "hash_value", None) or ())
    hashes = list(core.get_hash_values(node))
    return hashes if len(hashes) >= count else [*core.get_prefix_hash_values(node), *hashes]


def _word(told: object) -> int:
    """Return the first eight bytes of a hash, as events have them."""
    if not isinstance(told, str):
        return UNKNOWN
    return signed_word(int(told[:16], 16))
