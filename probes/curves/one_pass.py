"""The curve of LRU in one pass, at every capacity."""

from __future__ import annotations

from array import array

from probes.curves.capacity_curve import CapacityCurve
from probes.curves.recency import ID_BYTES
from probes.curves.stack_pass import StackPass


class OnePass(StackPass["array[int]"]):
    """Counts tokens by every depth at which they were hit."""

    def __init__(self, largest_blocks: int | None) -> None:
        super().__init__(largest_blocks, array("q", [0]))

    def curve(self) -> CapacityCurve:
        """Return what was counted, as a curve."""
        steps = self.steps
        capacities, hits = array("q", [0]), array("q", [0])
        known = self._largest if self.has_forgotten else None
        if known is None:
            known = max((capacity for capacity, change in enumerate(steps) if change), default=0)
        step = tokens = 0
        for capacity in range(known + 1):
            change = steps[capacity]
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
            largest_blocks=self._largest if self.has_forgotten else None,
            ceiling_hit_tokens=None if self.has_forgotten else tokens,
            capacities=capacities,
            hits=hits,
        )

    def _grown(self, blocks: int) -> None:
        missing = blocks + 3 - len(self.steps)
        if missing > 0:
            self.steps.frombytes(bytes(max(missing, len(self.steps)) * ID_BYTES))
