"""Which blocks several ranks have: what is duplicated and what is missing, kept up to date block by block.

A block that comes or goes takes as many steps as ranks have it. Its name is the same on every rank that has the same
tokens behind the same beginning, see `naming.py`.
"""

from __future__ import annotations

from collections import Counter
from heapq import nlargest

from probes.fleet.figures import Overlap, Prefix, RankName

MOST_PREFIXES = 64


class SharedBlocks:
    """The blocks on the device of the ranks that were added."""

    def __init__(self) -> None:
        self._holders: dict[int, int] = {}
        self._shared: list[list[int]] = []
        self._alone: list[int] = []
        self._names: list[RankName] = []
        self._prefixes: list[Counter[int]] = []
        self._distinct = 0
        self._masks: dict[int, int] = {}
        """One object for each combination of ranks that is met: there are few, and many blocks."""

    def __len__(self) -> int:
        """Return how many different blocks there are."""
        return len(self._holders)

    def add_rank(self, name: RankName) -> int:
        """Return the number of another rank."""
        for row in self._shared:
            row.append(0)
        self._names.append(name)
        self._shared.append([0] * len(self._names))
        self._alone.append(0)
        self._prefixes.append(Counter())
        return len(self._names) - 1

    def came(self, rank: int, block: int, tokens: int, prefix: int) -> bool:
        """Note that a rank has a block now, of prompts that begin with `prefix` (0 for none).

        Say whether that is news: two of its blocks may have one name.
        """
        before = self._holders.get(block, 0)
        bit = 1 << rank
        if before & bit:
            return False
        after = before | bit
        self._holders[block] = self._masks.setdefault(after, after)
        self._shared[rank][rank] += tokens
        if before:
            self._share(rank, before, tokens)
        else:
            self._alone[rank] += tokens
            self._distinct += tokens
        if prefix:
            self._prefixes[rank][prefix] += tokens
        return True

    def went(self, rank: int, block: int, tokens: int, prefix: int) -> None:
        """Note that a rank has a block no more that `came` said was news."""
        after = self._holders[block] & ~(1 << rank)
        self._shared[rank][rank] -= tokens
        if after:
            self._holders[block] = self._masks.setdefault(after, after)
            self._unshare(rank, after, tokens)
        else:
            del self._holders[block]
            self._alone[rank] -= tokens
            self._distinct -= tokens
        if prefix:
            left = self._prefixes[rank]
            left[prefix] -= tokens
            if not left[prefix]:
                del left[prefix]

    def _share(self, rank: int, others: int, tokens: int) -> None:
        """Count a block that came to a rank and that `others` have, a bit for each."""
        if not others & (others - 1):
            self._alone[others.bit_length() - 1] -= tokens
        mine = self._shared[rank]
        while others:
            other = others.bit_length() - 1
            mine[other] += tokens
            self._shared[other][rank] += tokens
            others ^= 1 << other

    def _unshare(self, rank: int, others: int, tokens: int) -> None:
        """Count a block no more that went from a rank and that `others` have."""
        if not others & (others - 1):
            self._alone[others.bit_length() - 1] += tokens
        mine = self._shared[rank]
        while others:
            other = others.bit_length() - 1
            mine[other] -= tokens
            self._shared[other][rank] -= tokens
            others ^= 1 << other

    def overlap(self, prefixes: tuple[Prefix, ...] = ()) -> Overlap:
        """Return what the ranks have in common now."""
        rows = tuple(map(tuple, self._shared))
        return Overlap((*self._names,), rows, (*self._alone,), self._distinct, prefixes)

    def heaviest_prefixes(self) -> tuple[Prefix, ...]:
        """Return the prefixes with most tokens on all ranks together; as much work as there are prefixes."""
        sums: Counter[int] = Counter()
        for of_rank in self._prefixes:
            sums.update(of_rank)
        heaviest = nlargest(MOST_PREFIXES, sums.items(), key=lambda one: (one[1], one[0]))
        return tuple(Prefix(name, tuple(of_rank[name] for of_rank in self._prefixes)) for name, _ in heaviest)
