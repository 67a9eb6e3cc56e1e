"""What a run of the benchmark measures, in full or as a quick look."""

from __future__ import annotations

from dataclasses import dataclass

from cache_core.bench.workload import WINDOW

WINDOWS = (None, WINDOW)
"""Full attention alone, and beside a window."""


@dataclass(frozen=True, slots=True)
class Plan:
    """`runs` are medians' sources: each measurement is made so often, the sides in turns."""

    runs: int = 5
    scale: float = 1.0
    requests: tuple[tuple[str, int], ...] = (("W1", 1), ("W1", 64), ("W2", 1), ("W3", 1), ("W3", 16))
    """Workload and page size."""
    leaves: tuple[tuple[int, int], ...] = ((1_000, 200), (10_000, 100), (100_000, 30))
    """Leaves of W4's trees, and evictions timed in one run."""
    prefixes: tuple[int, ...] = (32_768, 131_072)
    prefix_pages: tuple[int, ...] = (1, 64)
    memory_keys: int = 100_000
    """Leaves of the tree whose memory is measured; 0 leaves memory out."""
    traced_keys: int = 5_000


FULL = Plan()
"""What the published figures are measured by."""

QUICK = Plan(
    scale=0.05,
    leaves=((250, 60), (2_500, 60)),
    prefixes=(4_096, 16_384),
    memory_keys=5_000,
    traced_keys=1_000,
)
"""The same things, small: takes seconds."""
