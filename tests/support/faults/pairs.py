"""Pairs of faults in one run, and which of the two costs more."""

from __future__ import annotations

from pathlib import Path

from tests.support.faults.causes import CAUSES, plant_of
from tests.support.faults.plant import Plant
from tests.support.faults.serving import hit_rate_of, write

PAIRS = (
    ("salt", "page"), ("salt", "swa_pool"), ("salt", "branching"), ("salt", "capacity"),
    ("timestamp", "page"), ("timestamp", "swa_pool"), ("timestamp", "branching"), ("timestamp", "capacity"),
    ("salt", "timestamp"), ("swa_pool", "capacity"), ("branching", "capacity"), ("branching", "page"),
    ("branching", "swa_pool"), ("flood", "timestamp"), ("flood", "branching"), ("flood", "page"),
    ("fallback", "timestamp"), ("storm", "timestamp"), ("storm", "salt"), ("stall", "timestamp"),
    ("stall", "salt"), ("chunks", "timestamp"), ("windows_by_age", "timestamp"), ("windows_by_age", "salt"),
    ("capacity", "page"),
)  # fmt: skip

CLEAR = 1.6
"""Where one fault costs so many times what the other does, it has to come first."""
UNORDERED = frozenset({"storm", "stall", "flood"})
"""Faults whose cost is no difference of hit rates, as it is time, or as prompts are others without them: where they
come is not asked."""


def expected_order(plant: Plant, faults: tuple[str, ...], folder: Path) -> tuple[str, ...]:
    """Return the findings of a pair in the order of what a run gains without each; empty where that is not clear."""
    if UNORDERED & set(faults):
        return ()
    seed = plant.run.seed
    with_both = _hit_rate(plant, folder)
    gains = {}
    for fault in faults:
        others = tuple(other for other in faults if other != fault)
        gains[fault] = _hit_rate(plant_of(others, seed, base=CAUSES[faults[0]].alone), folder) - with_both
    larger, smaller = sorted(faults, key=lambda fault: -gains[fault])
    if gains[smaller] <= 0 or gains[larger] < CLEAR * gains[smaller]:
        return ()
    return CAUSES[larger].finding, CAUSES[smaller].finding


def _hit_rate(plant: Plant, folder: Path) -> float:
    return hit_rate_of(write(plant, folder / "other.rtrec"))
