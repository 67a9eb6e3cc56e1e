"""Runs all comparisons, in full or as a quick look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cache_core.bench.narration import Narrate, silent
from cache_core.bench.switches import queues, reads, windows
from cache_core.bench.switches.comparison import Comparison
from cache_core.bench.switches.loads import Load, own_loads


@dataclass(frozen=True, slots=True)
class SwitchPlan:
    """`runs` of both sides in turns; loads have `scale` of their size; `waiting` are the lengths of queues."""

    runs: int = 5
    scale: float = 1.0
    waiting: tuple[int, ...] = (8, 128, 1_000)
    looked_at: int = 128
    """Requests whose look is followed by a look at the tree."""


FULL = SwitchPlan()
"""What the published figures are measured by."""

QUICK = SwitchPlan(scale=0.25, waiting=(8, 160), looked_at=32)
"""The same things, small: takes seconds."""


def compare_all(plan: SwitchPlan, loads: Sequence[Load] = (), narrate: Narrate = silent) -> Iterator[Comparison]:
    """Yield every comparison: windows on our loads and these, looks at queues, schedules, and what reads leave."""
    for load in (*own_loads(plan.scale), *loads):
        narrate(f"{windows.SWITCH}: {load.name}, {len(load.visits):,} requests")
        yield from windows.compare(load, plan.runs)
    yield from _of_queues(plan, narrate)
    for components in queues.COMPONENTS:
        who = queues.Waiters(plan.looked_at, "inside", components)
        narrate(f"{reads.SWITCH}: {who.load}")
        yield from reads.compare(who, plan.runs)


def _of_queues(plan: SwitchPlan, narrate: Narrate) -> Iterator[Comparison]:
    kinds = [(place, components) for components in queues.COMPONENTS for place in queues.PLACES]
    waiters = [queues.Waiters(count, *kind) for kind in kinds for count in plan.waiting]
    for who in waiters:
        narrate(f"{queues.LOOK}: {who.case} {who.load}")
        yield from queues.compare_looks(who, plan.runs)
    for who in waiters:
        narrate(f"{queues.BATCHED}: {who.case} {who.load}")
        yield queues.compare_passes(who, plan.runs)
    narrate(queues.LIMIT)
    yield from queues.compare_limits(plan.waiting[-1], plan.runs)
