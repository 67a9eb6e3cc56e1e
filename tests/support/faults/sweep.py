"""Puts every fault of the lab, and pairs of them, through many seeds and settings, and counts who is told right.

python tests/support/faults/sweep.py [--seeds N] [--only FAULT,...] [--folder DIR] [--wrong] [--chance N [--from N]]

Prints one line for each fault and setting: how many seeds were told right, and what was said of one that was not.
With --chance it takes so many runs that chance puts together (`chance.py`) in place of all that.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.support.faults.causes import CAUSES, HEALTHY, MAGNITUDES, plant_of
from tests.support.faults.chance import outcome_of, thrown
from tests.support.faults.judge import Verdict, verdict_of
from tests.support.faults.pairs import PAIRS, expected_order
from tests.support.faults.plant import Plant
from tests.support.faults.serving import write

HABITS = frozenset({"salt", "timestamp"})
POOLS = frozenset({"swa_pool", "capacity", "flood", "windows_by_age", "state_pool"})
STATES = frozenset({"state_pool", "state_chunk", "states", "windows and states"})
"""What keeps states already."""
EVERY = frozenset(CAUSES) | frozenset(HEALTHY)
WITHOUT_WINDOWS = frozenset({"salt", "timestamp", "capacity", "fallback", "storm", "flood", *HEALTHY})

Setting = tuple[frozenset[str], Callable[[Plant], Plant]]


def _run(**settings: object) -> Callable[[Plant], Plant]:
    return lambda plant: plant.with_run(**settings)


def _pages(page: int) -> Callable[[Plant], Plant]:
    def change(plant: Plant) -> Plant:
        full, swa = (-(-(slots or 0) // page) * page for slots in (plant.run.full_slots, plant.run.swa_slots))
        return plant.with_run(page_size=page, full_slots=full, swa_slots=swa)

    return change


SETTINGS: Mapping[str, Setting] = {
    "as it is": (EVERY, lambda plant: plant),
    "no names": (EVERY, lambda plant: replace(plant, names="none")),
    "names of roles": (EVERY, lambda plant: replace(plant, names="roles")),
    "window 32": (EVERY - POOLS - {"chunks"}, _run(window=32)),
    "window 512": (EVERY - POOLS - {"chunks", "branching"}, _run(window=512)),
    "pages of 16": (EVERY - {"page", "stall"}, _pages(16)),
    "mamba": (
        EVERY - {"page", "chunks", "branching", "stall"} - STATES,
        _run(components="full,swa,mamba", mamba_slots=4_000),
    ),
    "states, no windows": (
        (WITHOUT_WINDOWS | {"branching"}) - STATES,
        _run(components="full,mamba", mamba_slots=4_000),
    ),
    "states and windows": (STATES - frozenset(HEALTHY), _run(components="full,swa,mamba")),
    "full alone": (WITHOUT_WINDOWS - STATES, _run(components="full")),
    "2 at once": (EVERY - {"storm"}, _run(concurrency=2)),
    "12 at once": (EVERY - POOLS - {"storm", "stall"}, _run(concurrency=12)),
    "lpm": (EVERY - {"fallback"}, _run(schedule="lpm")),
    "slru": (EVERY, _run(policy="slru")),
    "30 requests": (HABITS | {"branching", "page"} | frozenset(HEALTHY), _run(requests=30)),
    "800 requests": (EVERY - {"fallback", "chunks", "stall"}, _run(requests=800)),
    "from the middle": (HABITS | {"flood"}, lambda plant: replace(plant, first=80)),
    "at a rate": (EVERY - {"fallback", "storm"}, _run(rate=20.0)),
}
"""Other circumstances, and the faults that stay what they are in them."""

WORKLOADS: Mapping[str, frozenset[str]] = {
    "chat": HABITS | {"capacity", "page", "flood", "state_pool", "state_chunk"},
    "agent": HABITS | {"swa_pool", "capacity", "flood", "state_pool", "state_chunk"},
    "rag": HABITS | {"swa_pool", "branching", "capacity", "page", "flood", "state_pool"},
    "few_shot": HABITS | {"capacity", "branching", "page", "state_pool", "state_chunk"},
}
"""Other workloads, and the faults that cost something in them."""


def is_right(faults: tuple[str, ...], verdict: Verdict, order: tuple[str, ...] = ()) -> bool:
    """Say whether a recording was told for what it is."""
    if faults[0] in HEALTHY:
        return not verdict.is_alarming
    if order:
        return verdict.causes[: len(order)] == order
    return verdict.names_first(*(CAUSES[fault].finding for fault in faults))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 if anything was told wrong."""
    parser = argparse.ArgumentParser(prog="sweep.py", description="Planted faults, told right or wrong.")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--folder", type=Path, default=None)
    parser.add_argument("--wrong", action="store_true", help="print what is wrong alone")
    parser.add_argument("--chance", type=int, default=0, help="so many runs that chance puts together")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first of them")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as made:
        if asked.chance:
            return by_chance(asked.folder or Path(made), range(asked.first, asked.first + asked.chance), asked.wrong)
        return _Table(
            asked.folder or Path(made), range(asked.seeds), set(filter(None, asked.only.split(","))), asked.wrong
        ).run()


def by_chance(folder: Path, seeds: range, wrong_alone: bool) -> int:
    """Print what is said of runs that chance puts together: of each three one with no fault, one, and two."""
    folder.mkdir(parents=True, exist_ok=True)
    wrong = 0
    for seed in seeds:
        outcome = outcome_of(thrown(seed, seed % 3), folder)
        wrong += bool(outcome.complaint)
        if outcome.complaint or not wrong_alone:
            gains = " ".join(f"{100 * gain:+.1f}" for gain in outcome.gains)
            print(f"{seed:4} {outcome.complaint or 'right'}: {outcome.chance} gains {gains or '-'}", flush=True)
            print(f"     {outcome.verdict}", flush=True)
    print(f"{len(seeds) - wrong} of {len(seeds)} right")
    return 1 if wrong else 0


class _Table:
    """The lines, printed as they come."""

    def __init__(self, folder: Path, seeds: range, only: set[str], wrong_alone: bool) -> None:
        self._folder, self._seeds, self._only, self._wrong_alone = folder, seeds, only, wrong_alone
        self._wrong = self._all = 0

    def run(self) -> int:
        self._folder.mkdir(parents=True, exist_ok=True)
        for fault in (*CAUSES, *HEALTHY):
            if self._only and fault not in self._only:
                continue
            for magnitude in MAGNITUDES if fault in CAUSES else MAGNITUDES[:1]:
                self._line(magnitude, (fault,), [plant_of((fault,), seed, magnitude) for seed in self._seeds])
            for name, (fits, change) in SETTINGS.items():
                if fault in fits and name != "as it is":
                    self._line(name, (fault,), [change(plant_of((fault,), seed)) for seed in self._seeds])
            for workload, fits_in in WORKLOADS.items():
                if fault in fits_in:
                    plants = [plant_of((fault,), seed, workload=workload) for seed in self._seeds]
                    self._line(workload, (fault,), plants)
        for pair in PAIRS:
            if not self._only or set(pair) & self._only:
                self._line("pair", pair, [plant_of(pair, seed) for seed in self._seeds])
        print(f"{self._all - self._wrong} of {self._all} right")
        return 1 if self._wrong else 0

    def _line(self, setting: str, faults: tuple[str, ...], plants: list[Plant]) -> None:
        wrong: list[tuple[int, Verdict]] = []
        for plant in plants:
            verdict = verdict_of(write(plant, self._folder / "run.rtrec"))
            order = expected_order(plant, faults, self._folder) if len(faults) > 1 else ()
            if not is_right(faults, verdict, order):
                wrong.append((plant.run.seed, verdict))
        self._all += len(plants)
        self._wrong += len(wrong)
        if wrong or not self._wrong_alone:
            said = f"  seed {wrong[0][0]}: {wrong[0][1]}" if wrong else ""
            print(f"{'+'.join(faults):22} {setting:16} {len(plants) - len(wrong)}/{len(plants)}{said}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
