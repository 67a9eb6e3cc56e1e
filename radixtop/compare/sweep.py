"""Carries out a sweep and puts its outcomes together."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from radixtop.compare.combinations import Combination
from radixtop.compare.engine import Outcome, Step, SweepEngine
from radixtop.compare.plan import Task, flat, replays, row_of, simulated_figures, wanted_curve, wanted_references
from radixtop.compare.ranking import ranked
from radixtop.compare.row import Comparison, Reference, Source
from radixtop.replay.recorded_hits import far_off

REFUSED_NOTE = (
    "Refused requests fit no pool: their prompts count as missed, so that every row is of the same requests. Their "
    "times are in no TTFT."
)
DERIVED_NOTE = "TTFT is derived from a cost model, not measured."
BLOCKS_NOTE = (
    "Bounds and controls know the trace's blocks alone: a cache on tokens may also hit parts of blocks, and answers "
    "that come back as prompts, and it serves requests in another order when they queue."
)


@dataclass(frozen=True, slots=True)
class Sweep:
    """What is to be compared: the trace, the combinations of `keys`, and whether with bounds and controls."""

    task: Task
    source: Source
    combinations: Sequence[Combination]
    keys: tuple[str, ...]
    has_references: bool = True

    @property
    def passes(self) -> int:
        """How often the trace is gone through."""
        return len(self.combinations) + len(self.references[0]) + len(self.curve)

    @property
    def references(self) -> tuple[list[Reference], list[str]]:
        """The references without figures, and a job for each."""
        return wanted_references(self.task, self.combinations) if self.has_references else ([], [])

    @property
    def curve(self) -> list[str]:
        """The job that tells what LRU hits between the sizes, if there are several."""
        return wanted_curve(self.task, self.combinations) if self.has_references else []


def swept(sweep: Sweep, engine: SweepEngine, told: Callable[[Step], None]) -> Comparison:
    """Return what a pass over the trace comes to for each combination, and for the references at their sizes."""
    task, combinations = sweep.task, sweep.combinations
    references, reference_jobs = sweep.references
    outcomes = engine.outcomes([*replays(task, combinations), *reference_jobs, *sweep.curve], told)
    count = len(combinations)
    rows = [row_of(task, each, outcome) for each, outcome in zip(combinations, outcomes[:count], strict=True)]
    if sweep.source.recorded is not None:
        rows = [replace(row, is_recorded=row.settings == flat(task.base)) for row in rows]
    known = tuple(
        replace(
            reference,
            figures=None if outcome.result is None else simulated_figures(json.loads(outcome.result)),
            failure=outcome.failure,
        )
        for reference, outcome in zip(references, outcomes[count:], strict=False)
    )
    curve = _curve(outcomes[count + len(references) :])
    comparison = Comparison(sweep.source, sweep.keys, ranked(rows), known, curve=curve)
    return replace(comparison, notes=tuple(_notes(comparison)))


def _curve(outcomes: Sequence[Outcome]) -> tuple[tuple[int, float], ...]:
    """Return sizes and hit rates; none where the pass came to nothing."""
    for outcome in outcomes:
        if outcome.result is not None:
            found = json.loads(outcome.result)
            if found["queried_tokens"]:
                return tuple((slots, hits / found["queried_tokens"]) for slots, hits in found["at"])
    return ()


def _notes(comparison: Comparison) -> list[str]:
    notes = [comparison.source.note] if comparison.source.note else []
    if comparison.references:
        notes.append(BLOCKS_NOTE)
    if any(row.figures and row.figures.refused for row in comparison.rows):
        notes.append(REFUSED_NOTE)
    if any(row.figures and row.figures.ttft_ms for row in comparison.rows):
        notes.append(DERIVED_NOTE)
    if along := _along(comparison):
        notes.append(
            f"{', '.join(along)} keep their ratio to full_slots: they change along with it. --vary sets them apart."
        )
    return [*notes, *_doubts(comparison)]


def _along(comparison: Comparison) -> list[str]:
    """Return the pools that differ between rows without being varied."""
    if "full_slots" not in comparison.keys:
        return []
    names = {name for row in comparison.rows for name in row.settings if name.endswith("_slots")}
    sizes = {name: {row.settings.get(name) for row in comparison.rows} for name in names - {*comparison.keys}}
    return sorted(name for name, values in sizes.items() if len(values) > 1)


def _doubts(comparison: Comparison) -> Iterator[str]:
    """Yield why rows say little: a load that is not all there, a replay that hits other than was recorded."""
    recorded, replayed, missing = comparison.source.recorded, comparison.replayed, comparison.source.missing
    if missing.has_holes:
        yield f"Requests may be missing, and rows hit other than the load did: {missing.line}."
    off = far_off(recorded.hit_rate, replayed.hit_rate) if recorded and replayed else ""
    if off:
        yield f"{off[0].upper()}{off[1:]}: differences between rows say little."
