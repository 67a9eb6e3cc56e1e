"""Every row of the specification's scenario list, with its figures."""

from __future__ import annotations

import pytest

from cache_core import CacheConfig
from tests.cache_core.scenarios.row import Case, Row
from tests.cache_core.scenarios.table import NUMBERS, ROWS
from tests.support.scenario import Scenario

CASES = [(row, case) for row in ROWS for case in row.cases]


def name_of(row: Row, case: Case) -> str:
    """Return what a case is called in a test run."""
    side = "" if case.side == "both" else case.side
    return "-".join(filter(None, (row.number, case.name, side)))


@pytest.mark.parametrize("case", [case for _, case in CASES], ids=[name_of(row, case) for row, case in CASES])
def test_the_cache_says_what_the_row_says(case: Case) -> None:
    Scenario(CacheConfig(**case.cache)).play(case.script)


def test_no_row_is_missing_and_none_is_there_twice() -> None:
    assert [row.number for row in ROWS] == NUMBERS


@pytest.mark.parametrize("row", ROWS, ids=[row.number for row in ROWS])
def test_a_row_that_differs_by_rule_has_the_figures_of_both_sides(row: Row) -> None:
    sides = {case.side for case in row.cases}
    assert (sides >= {"reference", "ours"}) == bool(row.differs)
    assert sides == {"both"} or row.differs or row.unlike
