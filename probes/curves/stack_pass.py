"""The cache of the largest capacity: every block that is hit is hit from some capacity on, its depth in there.

Stack distances over prefixes (Mattson et al. 1970): a cache of n blocks holds the n blocks touched last, of one
request those nearer the root.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from copy import copy
from typing import Any, Generic, Protocol, TypeVar

from probes.curves.depths import Depths
from probes.curves.recency import ID_BYTES, RecencyTree
from probes.curves.twin_runs import twin_runs


class Asked(Protocol):
    """What a request asked for: a path of blocks, of which the last may be shorter than the others."""

    @property
    def path(self) -> bytes: ...
    @property
    def block_tokens(self) -> int: ...
    @property
    def prompt_tokens(self) -> int: ...
    @property
    def namespace(self) -> str | None: ...

    def tokens_of(self, blocks: int) -> int:
        """Return how many tokens the first so many blocks are."""
        ...


class Steps(Protocol):
    """By depth in blocks, how many tokens more a block there is worth than the block above it."""

    def __getitem__(self, depth: int, /) -> int: ...
    def __setitem__(self, depth: int, tokens: int, /) -> None: ...


S = TypeVar("S", bound=Steps)
P = TypeVar("P", bound="StackPass[Any]")


class StackPass(ABC, Generic[S]):
    """Holds what was touched last, up to the largest capacity, and notes hits in `steps` by their depth."""

    def __init__(self, largest_blocks: int | None, steps: S) -> None:
        self.requests = self.queried_tokens = self.queried_bytes = 0
        self.steps = steps
        self.has_forgotten = False
        self._largest = largest_blocks
        self._tree = RecencyTree()
        self._depths = Depths()
        self._held = 0

    @abstractmethod
    def _grown(self, blocks: int) -> None:
        """Take note that so many blocks are held: steps may lie that deep from now on."""

    def serve(self, request: Asked, is_counted: bool) -> None:
        """Hit what is there of the path, then hold all of it."""
        if request.path:
            self._touch(request, is_counted)
        if is_counted:
            self.requests += 1
            self.queried_tokens += request.prompt_tokens
            self.queried_bytes += len(request.path)

    def __deepcopy__(self: P, memo: dict[int, Any]) -> P:
        """Return a copy that goes its own way."""
        twin = copy(self)
        twin.steps = copy(self.steps)
        twin._tree, twin._depths = twin_runs(self._tree, self._depths)
        return twin

    def forget(self) -> None:
        """Hold nothing any more; what was counted stays."""
        self._tree, self._depths, self._held = RecencyTree(), Depths(), 0

    def _touch(self, request: Asked, is_counted: bool) -> None:
        path, depths, taken = request.path, self._depths, self._tree.taken
        run = self._tree.touch(path, request.namespace, 0)
        sizes, groups, bits = depths.sizes, depths.groups, depths.bits
        steps, tokens = self.steps, request.block_tokens if is_counted else 0
        hit = 0
        ends: tuple[int, ...] = ()
        for met, size in taken:
            place = met.order
            group = (place >> bits) + 1
            above = sum(sizes[place + 1 : group << bits]) + sum(groups[group:])
            if above == hit:
                inner = tuple(end for end in met.ends if hit < end <= hit + size)
                ends += inner
                self._hit_on_top(hit, size, inner, tokens)
            else:
                steps[above // ID_BYTES] += tokens
                steps[(above + size) // ID_BYTES] -= tokens
            hit += size
        if hit // ID_BYTES * tokens > request.prompt_tokens:
            self._lighten(request)
        for met, size in taken:
            sizes[met.order] -= size
            groups[met.order >> bits] -= size
        run.ends = ends if ends[-1:] == (len(path),) else (*ends, len(path))
        depths.add(run)
        self._hold(len(path) - hit)

    def _hit_on_top(self, start: int, size: int, ends: Iterable[int], tokens: int) -> None:
        """Count a hit where nothing but the beginning of the same path was touched since.

        A path that does not fit has left one block free (`policies/lru.py`), so a cache that ends within it lacks its
        last block, unless a path ended there.
        """
        steps, first = self.steps, start // ID_BYTES
        steps[first + 1] += tokens
        steps[first + 1 + size // ID_BYTES] -= tokens
        for end in ends:
            last = end // ID_BYTES
            steps[last - 1] += tokens
            steps[last] -= 2 * tokens
            steps[last + 1] += tokens

    def _lighten(self, request: Asked) -> None:
        """Take back what the last blocks of a prompt were counted too much."""
        first = request.prompt_tokens // request.block_tokens
        start = 0
        for met, size in self._tree.taken:
            end = start + size // ID_BYTES
            if end > first:
                above = self._depths.above(met) // ID_BYTES
                for at in range(max(first, start), end):
                    excess = request.block_tokens - request.tokens_of(at + 1) + request.tokens_of(at)
                    lacks_one = above == start and (at + 1) * ID_BYTES not in met.ends
                    depth = above + at - start + lacks_one
                    self.steps[depth] -= excess
                    self.steps[depth + 1] += excess
            start = end

    def _hold(self, size: int) -> None:
        """Hold so many bytes more, and forget the oldest beyond the largest capacity."""
        self._held += size
        if self._largest is not None and self._held > self._largest * ID_BYTES:
            self._depths.drop(self._held - self._largest * ID_BYTES)
            self._held = self._largest * ID_BYTES
            self.has_forgotten = True
        self._grown(self._held // ID_BYTES)
