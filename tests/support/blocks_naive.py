"""The blocks of a rank in the plainest way: what a mirror has to agree with."""

from __future__ import annotations

from collections import Counter

from probes.kv.wire import Event, Hash, Removed, Stored

Where = tuple[str, int]


class NaiveBlocks:
    """Copies by place and name, and for each name the parent that it was told with, if any."""

    def __init__(self) -> None:
        self.copies: Counter[tuple[Where, Hash]] = Counter()
        self.above: dict[Hash, Hash | None] = {}
        """Of every block that is somewhere or above one that is; a name that is missing is of a placeholder."""
        self.unknown_removals = 0

    def apply(self, event: Event) -> None:
        """Change what is known by one event."""
        if isinstance(event, Stored):
            self._store(event)
        elif isinstance(event, Removed):
            for name in event.hashes:
                if self.copies[(event.tier, event.group), name]:
                    self.copies[(event.tier, event.group), name] -= 1
                else:
                    self.unknown_removals += 1
        else:
            self.copies.clear()
            self.above.clear()
        self._sweep()

    def _store(self, event: Stored) -> None:
        parent = event.parent
        for name in event.hashes:
            self.copies[(event.tier, event.group), name] += 1
            known = self.above.get(name)
            if (name not in self.above or known is None) and not self._would_loop(name, parent):
                self.above[name] = parent
            elif name not in self.above:
                self.above[name] = None
            parent = name

    def _would_loop(self, name: Hash, parent: Hash | None) -> bool:
        while parent is not None and parent != name:
            parent = self.above.get(parent)
        return parent is not None

    def _sweep(self) -> None:
        """Forget what is nowhere and has nothing below it."""
        self.copies = +self.copies
        needed: set[Hash] = set()
        for name in {name for _, name in self.copies}:
            while name not in needed:
                needed.add(name)
                above = self.above.get(name)
                if above is None:
                    break
                name = above
        self.above = {name: parent for name, parent in self.above.items() if name in needed}

    @property
    def known(self) -> set[Hash]:
        """Every block that is somewhere or above one that is."""
        return set(self.above) | {parent for parent in self.above.values() if parent is not None}

    @property
    def orphans(self) -> int:
        """Blocks whose parent nobody has told of."""
        return sum(parent is not None and parent not in self.above for parent in self.above.values())
