"""The records that say what the tree does not show: for whom something left, and what a new node nearly is.

They are kinds as all others, see `cache_core.events`, which has their names as well.
"""

from __future__ import annotations

from typing import NamedTuple


class EvictionCause(NamedTuple):
    """What follows, up to the next Evict record, went to make room for a request of a namespace."""

    at: int
    request: int
    namespace: int


class NodeForked(NamedTuple):
    """The new node `node` parts from a neighbour inside a page: `agreed_tokens` of its first page are the same.

    Whole pages are compared elsewhere, so these tokens are in the tree and no match can end behind them. Of very many
    neighbours the newest are asked (`neighbours.MOST_NEIGHBOURS`).
    """

    node: int
    agreed_tokens: int


class NodeTokenKeys(NamedTuple):
    """Keys of the tokens alone inside the new node `node` and at its end, whatever its namespace.

    They are the content keys that the same tokens have without a namespace: of all up to `first`, up to `step` more,
    and so on; the last one is of the node's end. Not told of the plain namespace, where they are the content keys.
    """

    node: int
    first: int
    step: int
    token_keys: tuple[int, ...]
