"""When a tape states the tree again: not too soon, not too dear, never more of it than of records."""

from __future__ import annotations

from probes.statement_pace import StatementPace


def test_it_is_due_after_its_time() -> None:
    pace = StatementPace(100)
    assert [pace.is_due(at) for at in (1000, 1099, 1100)] == [False, False, True]


def test_what_took_long_comes_less_often() -> None:
    pace = StatementPace(100)
    pace.stated(1000, 50, 0)
    assert [pace.is_due(at) for at in (1999, 2000)] == [False, True]


def test_statements_are_never_most_of_a_file() -> None:
    pace = StatementPace(100)
    pace.stated(1000, 0, 500)
    assert not pace.is_due(5000)
    pace.add(500)
    assert pace.is_due(5000)
