"""What each probe costs must not grow by half; compared with the mirror in the same run."""

from __future__ import annotations

import json
from pathlib import Path
from statistics import median

import pytest

from cache_core.events import Record
from probes.bench.each import MIRROR, ProbeFigures, each_probe
from probes.builtin.branching import Branching
from probes.fold import Fold, Folds
from probes.probe import PROBES
from radixtop.bench.probing import probe_table

COSTS = Path(__file__).parents[1] / "data" / "probe_costs.json"
"""By probe, a record that it takes and a sample, in multiples of a record of the mirror: `radixtop bench probes`."""

GROWTH = 1.5
UNFELT = 0.01
"""A probe whose records are so rare that they cost less than this of the mirror's time has too few to be timed."""

NEWCOMER = {"record": 4, "sample": 200}
"""What a probe may cost that has no cost stated: as much as the dearest of those that have."""

TRIES = 3
"""Other jobs only ever make one worse."""

DRIFT = (1.0, 2.0)
"""How many times as much records may cost all together: the mirror got faster than they did, or caches are cold."""


def grown(found: list[ProbeFigures]) -> set[str]:
    """Return which probes cost half as much again as they should, and as the middle one of them does."""
    stated = json.loads(COSTS.read_text("utf-8"))
    most = {figures.name: stated.get(figures.name, NEWCOMER) for figures in found if figures.name != MIRROR}
    growths = [
        figures.ratio / stated[figures.name]["record"]
        for figures in found
        if figures.name in stated and figures.taken * figures.ratio > UNFELT
    ]
    drift = min(max(DRIFT[0], median(growths)), DRIFT[1])
    dear_records = {
        figures.name
        for figures in found
        if figures.name in most
        and figures.ratio > GROWTH * drift * most[figures.name]["record"]
        and figures.taken * figures.ratio > UNFELT
    }
    dear_samples = {
        figures.name
        for figures in found
        if figures.name in most and figures.sample_ratio > GROWTH * most[figures.name]["sample"] + 1
    }
    return dear_records | dear_samples


def test_no_probe_costs_half_as_much_again_as_it_should() -> None:
    suspects = set(PROBES.names)
    for _ in range(TRIES):
        suspects &= grown(each_probe(runs=3))
        if not suspects:
            return
    assert not suspects, "measure them with `radixtop bench probes`; a cost that is meant goes into probe_costs.json"


def test_a_probe_that_got_slower_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    folds_of = Branching.folds

    def twice(fold: Fold) -> Fold:
        def both(record: Record) -> None:
            fold(record)
            sum(range(40))

        return both

    def folds(self: Branching) -> Folds:
        return {cls: twice(fold) for cls, fold in folds_of(self).items()}

    monkeypatch.setattr(Branching, "folds", folds)
    names = ["branching", "operations", "requests", "tenants", "windows"]
    assert grown(each_probe(runs=3, names=names)) == {"branching"}


def test_the_stated_costs_are_those_of_probes_that_exist() -> None:
    assert set(json.loads(COSTS.read_text("utf-8"))) <= set(PROBES.names)


def test_the_table_has_a_row_for_each() -> None:
    figures = ProbeFigures("hit_rate", 0.12, 480.0, 57.6, 38_000.0, 0.83, 66.0)
    row = [cell.strip() for cell in probe_table([figures]).splitlines()[-1].strip("|").split("|")]
    assert row == ["hit_rate", "12%", "0.48 us", "0.058 us", "38.0 us", "x0.83", "x66.0"]
