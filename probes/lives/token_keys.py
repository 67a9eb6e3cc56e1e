"""Keys of tokens alone: which tokens of a new node another namespace had."""

from __future__ import annotations

from collections.abc import Mapping

from cache_core.events import NodeAdded, NodeMarked, NodeTokenKeys
from probes.newest import forget_oldest

MOST_KEYS = 1 << 16
"""So many keys of nodes in namespaces are remembered, the newest ones, at about 200 bytes a key."""

PLAIN = 0
"""The id of the plain namespace, in which the key of the tokens alone is the content key."""


class TokenKeys:
    """Remembers by key the namespace that had the tokens last, and the one before that."""

    __slots__ = ("_spaces",)

    def __init__(self) -> None:
        self._spaces: dict[int, tuple[int, int | None]] = {}

    def __len__(self) -> int:
        """Return how many keys are remembered."""
        return len(self._spaces)

    def remember(self, space: int, record: NodeTokenKeys) -> None:
        """Note the keys of a new node of a namespace other than the plain one."""
        spaces = self._spaces
        for key in record.token_keys:
            last = spaces.get(key)
            if last is None or last[0] != space:
                spaces[key] = space, None if last is None else last[0]
        if len(spaces) > MOST_KEYS:
            forget_oldest(spaces)

    def elsewhere(
        self, node: NodeAdded, marks: NodeMarked | None, tokens: NodeTokenKeys | None, plain: Mapping[int, int]
    ) -> tuple[int, int | None]:
        """Return up to where the tokens of a new node were in another namespace, and in which; `plain` are the
        content keys of the plain one."""
        start, end = node.start, node.start + node.length
        if node.namespace == PLAIN:
            keys: tuple[int, ...] = (*(() if marks is None else marks.content_keys), node.content_key)
            first, step = (0, 0) if marks is None else (marks.first, marks.step)
        elif tokens is not None:
            keys, first, step = tokens.token_keys, tokens.first, tokens.step
        else:
            return start, None
        for place in range(len(keys) - 1, -1, -1):
            space = self._other(keys[place], node.namespace, plain)
            if space is not None:
                return (end if place == len(keys) - 1 else min(end, max(start, first + place * step))), space
        return start, None

    def _other(self, key: int, space: int, plain: Mapping[int, int]) -> int | None:
        last = self._spaces.get(key)
        if last is not None:
            if last[0] != space:
                return last[0]
            if last[1] is not None:
                return last[1]
        return PLAIN if space != PLAIN and key in plain else None
