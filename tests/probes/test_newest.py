"""Tables that keep the newest of their entries."""

from __future__ import annotations

from collections.abc import Iterable
from time import process_time_ns

from probes.newest import forget_oldest

MOST = 1 << 15


def test_the_oldest_eighth_goes_and_of_a_few_entries_one() -> None:
    table, few = dict.fromkeys(range(16)), {1: None, 2: None}
    forget_oldest(table)
    forget_oldest(few)
    assert (list(table), list(few)) == ([*range(2, 16)], [2])


def test_a_full_table_takes_about_as_long_as_one_that_fills() -> None:
    table: dict[int, int] = {}

    def took_ns(keys: Iterable[int]) -> int:
        began = process_time_ns()
        for key in keys:
            table[key] = key
            if len(table) > MOST:
                forget_oldest(table)
        return process_time_ns() - began

    filling = took_ns(range(MOST))
    full = min(took_ns(range(MOST * turn, MOST * (turn + 1))) for turn in range(1, 5))
    assert full < 20 * filling, "dropping one at a time takes fifty times as long"
