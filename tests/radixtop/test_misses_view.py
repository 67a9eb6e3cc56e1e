"""What became of prompt tokens, on screen: columns that add up, and words for what changed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.builtin.tenants import TenantsSample
from probes.lives.misses import COLUMN, COLUMNS, DEVICE, PROMPT, Amounts
from probes.lives.tenants import Evicted
from radixtop.panel import Canvas
from radixtop.panels.evictors import EvictorsPanel
from radixtop.render.lines import plain
from radixtop.render.miss_chart import chart, table
from radixtop.words.misses import change
from tests.support.watched import NOW, samples


def second(**tokens: int) -> Amounts:
    """Return a second with so many tokens hit on the device, and missed by class."""
    amounts = [0] * COLUMNS
    for name, count in tokens.items():
        amounts[DEVICE if name == "device" else COLUMN[name]] += count  # type: ignore[index]
    amounts[PROMPT] = sum(tokens.values())
    return tuple(amounts)


def drawn(seconds: list[Amounts], width: int, height: int) -> list[str]:
    """Return the columns of a chart, each from below."""
    rows = [line.partition("▕")[2].ljust(width - 5) for line in plain(chart(seconds, width, height))]
    return ["".join(row[place] for row in reversed(rows)).rstrip() for place in range(width - 5)]


def test_each_column_is_full_and_shared_out_by_tokens() -> None:
    seconds = [second(device=50, evicted=30, first_seen=20), second(), second(device=10)]
    assert drawn(seconds, 8, 10) == ["█████×××··", "", "██████████"]


def test_where_room_is_short_seconds_are_added_and_where_it_is_wide_they_are_repeated() -> None:
    seconds = [second(device=10), second(evicted=30), second(), second(device=5)]
    assert drawn(seconds, 7, 4) == ["█×××", "████"]
    assert drawn(seconds, 11, 1) == ["█", "█", "×", "", "", "█"]


def test_a_class_too_small_for_a_cell_has_none_in_the_chart_and_a_row_in_the_table() -> None:
    seconds = [second(device=1_000, last_token=1)]
    assert drawn(seconds, 6, 8) == ["████████"]
    assert any(
        "last token" in line for line in plain(table(seconds, replace(TOTAL, last_token=1), True, 9, "window"))
    )


TOTAL = samples()["request_log"].total  # type: ignore[attr-defined]


def test_a_fall_is_told_with_the_classes_that_took_the_hits() -> None:
    good, bad = second(device=80, first_seen=20), second(device=40, evicted=45, diverged=1, first_seen=14)
    line = change([good] * 45 + [bad] * 15, remembers_all=True, lacking="window")
    assert line is not None
    assert plain([line]) == ["hit rate: fell to 40.0% in the last 15 s, from 80.0% before: evicted +45 points"]


def test_a_rise_is_told_with_the_classes_that_went_down() -> None:
    line = change(
        [second(device=1, evicted=9)] * 45 + [second(device=9, evicted=1)] * 15, remembers_all=True, lacking="window"
    )
    assert line is not None
    assert plain([line])[0].endswith("rose to 90.0% in the last 15 s, from 10.0% before: evicted -80 points")


@pytest.mark.parametrize("seconds", [[second()] * 60, [second(device=4)] * 45 + [second()] * 15])
def test_nothing_is_said_of_a_change_from_or_to_nothing(seconds: list[Amounts]) -> None:
    assert change(seconds, remembers_all=True, lacking="window") is None


def test_who_evicted_whose_is_a_matrix_where_it_fits_and_a_list_where_not() -> None:
    sample = samples()["tenants"]
    assert isinstance(sample, TenantsSample)
    sample = replace(sample, matrix=(Evicted("search", "(plain)", 500, 20), Evicted("(plain)", "search", 30, 0)))
    wide, narrow = (plain(EvictorsPanel().paint(sample, Canvas(width, 5, NOW))) for width in (60, 43))
    assert [line.split() for line in wide[1:]] == [["(plain)", "·", "30", "0"], ["search", "500", "20", "·"]]
    assert [line.split() for line in narrow[1:]] == [
        ["search", "(plain)", "500", "20"],
        ["(plain)", "search", "30", "0"],
    ]
