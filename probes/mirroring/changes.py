"""What changed in a mirror since a reader last looked, so that it need not look at everything again."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any, Literal, NamedTuple
from weakref import ref

MOST_CHANGES = 65_536
"""So many changes are kept; a reader that fell further behind looks at the whole tree."""

NO_PARENT = -1
"""Stands for the parent of the root, and for what a node that did not move hung under before."""

ChangeKind = Literal["added", "removed", "moved", "restated"]


class Change(NamedTuple):
    """One change of one node, by ids; `slot` is where its fields are, or were until it was removed.

    `parent` is what the node hangs under from here on, or hung under until it was removed; `left` what it hung under
    before it moved. A node is restated when its own place, data, counters or labels are told anew. What grows along
    whole ways (locks, hits, ages, sums of subtrees) is no change of a node.
    """

    kind: ChangeKind
    node: int
    slot: int
    parent: int
    left: int = NO_PARENT


class Changes:
    """The newest changes, for any number of readers. Nothing is kept while there is none."""

    __slots__ = ("_log", "readers", "total")

    def __init__(self, most: int = MOST_CHANGES) -> None:
        self._log: deque[Change] = deque(maxlen=most)
        self.readers: set[ref[ChangeReader]] = set()
        self.total = 0

    def __deepcopy__(self, memo: dict[int, Any]) -> Changes:
        """Return changes of their own for a twin of the mirror, which nobody reads yet."""
        twin = Changes(self._log.maxlen or MOST_CHANGES)
        memo[id(self)], memo[id(self.readers)] = twin, twin.readers
        return twin

    def reader(self) -> ChangeReader:
        """Return a new reader; it is one for as long as somebody holds it."""
        reader = ChangeReader(self)
        self.readers.add(ref(reader, self._gone))
        return reader

    def note(self, change: Change) -> None:
        """Keep a change; where nobody reads, it need not be made."""
        if self.readers:
            self._log.append(change)
            self.total += 1

    def everything(self) -> None:
        """Tell every reader that nothing is as it was."""
        self._log.clear()
        self.total += 1

    def newest(self, count: int) -> list[Change] | None:
        """Return the newest changes, oldest first, None when so many are not kept."""
        if count > len(self._log):
            return None
        newest = [*islice(reversed(self._log), count)]
        newest.reverse()
        return newest

    def _gone(self, reader: ref[ChangeReader]) -> None:
        self.readers.discard(reader)
        if not self.readers:
            self.everything()


class ChangeReader:
    """One reader's place in the changes."""

    __slots__ = ("__weakref__", "_changes", "_seen")

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._seen = -1

    def take(self) -> list[Change] | None:
        """Return what changed since the last call, in its order; None when everything may have, as at first."""
        behind = self._changes.total - self._seen
        first, self._seen = self._seen < 0, self._changes.total
        return None if first else self._changes.newest(behind)
