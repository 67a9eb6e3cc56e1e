"""Twins of a recency tree and its depths: copies that go their own way.

Runs hang in each other as deep as paths part, so what copies whatever it meets by calling itself would run out of
stack. Here each run is copied by itself, and then hung where it belongs.
"""

from __future__ import annotations

from copy import copy

from probes.curves.depths import Depths
from probes.curves.recency import Fork, RecencyTree, Run


def twin_runs(tree: RecencyTree, depths: Depths) -> tuple[RecencyTree, Depths]:
    """Return copies of both, of the same runs; what the last touch took is left out."""
    runs = {id(run): Run(run.ids, run.order, {}) for run in depths.runs}
    forks: dict[int, Fork] = {}

    def twin_of(fork: Fork) -> Fork:
        known = forks.get(id(fork))
        if known is None:
            known = forks[id(fork)] = {first: runs[id(run)] for first, run in fork.items()}
        return known

    for run in depths.runs:
        if run.ids:
            new = runs[id(run)]
            new.start, new.ends, new.depths = run.start, run.ends, run.depths[:]
            new.forks = [twin_of(fork) for fork in run.forks]
            new.home = twin_of(run.home)
    grown, measured = RecencyTree(), copy(depths)
    grown.homes = {namespace: twin_of(home) for namespace, home in tree.homes.items()}
    measured.runs = [*runs.values()]
    measured.sizes, measured.groups = depths.sizes[:], depths.groups[:]
    return grown, measured
