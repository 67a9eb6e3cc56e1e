"""The curve of LRU in one pass: every block that is hit is hit from some capacity on, its depth in the cache."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from cache_core.errors import ConfigError
from profiles.simulation.capacity_curve import CapacityCurve
from profiles.simulation.depths import Depths
from profiles.simulation.recency import RecencyTree
from profiles.trace import ID_BYTES, TraceRequest


def capacity_curve(
    requests: Iterable[TraceRequest], warm_up_requests: int = 0, largest_blocks: int | None = None
) -> CapacityCurve:
    """Return what LRU hits at every capacity up to the largest; what the first requests hit is not counted.

    Exact, by stack distances (Mattson et al. 1970): a cache of n blocks holds the n blocks touched last, of one
    request those nearer the root. Blocks deeper than the largest capacity are forgotten, so that it bounds the
    memory; without one every block is kept. Raises ConfigError for a largest capacity below 0.
    """
    if largest_blocks is not None and largest_blocks < 0:
        raise ConfigError(f"largest_blocks is {largest_blocks}; a cache holds 0 blocks or more")
    whole_pass = OnePass(largest_blocks)
    for number, request in enumerate(requests):
        whole_pass.serve(request, number >= warm_up_requests)
    return whole_pass.curve()


class OnePass:
    """The cache of the largest capacity, and tokens by the depth at which they were hit."""

    def __init__(self, largest_blocks: int | None) -> None:
        self.requests = self.queried_tokens = self.queried_bytes = 0
        self._largest = largest_blocks
        self._tree = RecencyTree()
        self._depths = Depths()
        self._held = 0
        self._has_forgotten = False
        self._steps = array("q", [0])
        """By depth in blocks, how many tokens more a block there is worth than the block above it."""

    def serve(self, request: TraceRequest, is_counted: bool) -> None:
        """Hit what is there of the path, then hold all of it."""
        if request.path:
            self._touch(request, is_counted)
        if is_counted:
            self.requests += 1
            self.queried_tokens += request.prompt_tokens
            self.queried_bytes += len(request.path)

    def curve(self) -> CapacityCurve:
        """Return what was counted, as a curve."""
        capacities, hits = array("q", [0]), array("q", [0])
        known = self._largest if self._has_forgotten else None
        if known is None:
            known = max((capacity for capacity, change in enumerate(self._steps) if change), default=0)
        step = tokens = 0
        for capacity in range(known + 1):
            change = self._steps[capacity]
            if change or capacity == known:
                tokens += step * (capacity - capacities[-1])
                step += change
                if capacity:
                    capacities.append(capacity)
                    hits.append(tokens)
        return CapacityCurve(
            requests=self.requests,
            queried_tokens=self.queried_tokens,
            queried_blocks=self.queried_bytes // ID_BYTES,
            largest_blocks=self._largest if self._has_forgotten else None,
            ceiling_hit_tokens=None if self._has_forgotten else tokens,
            capacities=capacities,
            hits=hits,
        )

    def _touch(self, request: TraceRequest, is_counted: bool) -> None:
        path, depths, taken = request.path, self._depths, self._tree.taken
        run = self._tree.touch(path, request.namespace, 0)
        sizes, groups, bits = depths.sizes, depths.groups, depths.bits
        steps, tokens = self._steps, request.block_tokens if is_counted else 0
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
        steps, first = self._steps, start // ID_BYTES
        steps[first + 1] += tokens
        steps[first + 1 + size // ID_BYTES] -= tokens
        for end in ends:
            last = end // ID_BYTES
            steps[last - 1] += tokens
            steps[last] -= 2 * tokens
            steps[last + 1] += tokens

    def _lighten(self, request: TraceRequest) -> None:
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
                    self._steps[depth] -= excess
                    self._steps[depth + 1] += excess
            start = end

    def _hold(self, size: int) -> None:
        """Hold so many bytes more, and forget the oldest beyond the largest capacity."""
        self._held += size
        if self._largest is not None and self._held > self._largest * ID_BYTES:
            self._depths.drop(self._held - self._largest * ID_BYTES)
            self._held = self._largest * ID_BYTES
            self._has_forgotten = True
        missing = self._held // ID_BYTES + 3 - len(self._steps)
        if missing > 0:
            self._steps.frombytes(bytes(max(missing, len(self._steps)) * ID_BYTES))
