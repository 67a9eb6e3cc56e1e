"""Header, banner and footer say what matters in the width there is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.snapshot import Snapshot, SourceState
from probes.travel.moment import Moment
from radixtop.keymap import KEYS, footer_keys
from radixtop.render.chrome import Status, Tabs, banner, footer, has_remark, header, setup_of, too_small
from radixtop.render.lines import plain
from radixtop.scene import status_of
from radixtop.view import VIEW_KEYS, VIEWS

STATUS = Status("live chat", "live", running_ns=83 * 10**9, setup="full+swa  page 1")


NAMES = ("overview", "tree", "swa", "evictions", "requests")


def tabs(current: str) -> Tabs:
    """Return some views, one of them in sight."""
    return Tabs(NAMES, current)


def test_the_header_names_the_program_the_target_and_its_state() -> None:
    lines, _ = header(STATUS, tabs("overview"), 80)
    assert plain(lines) == [
        " radixtop  live chat                                     00:01:23  1 Hz  ● live",
        "  1 overview  2 tree  3 swa  4 evictions  5 requests           full+swa  page 1",
    ]


def test_what_a_source_in_order_has_to_say_follows_its_title() -> None:
    said = replace(STATUS, message="the recording stopped")
    assert plain(header(said, tabs("overview"), 80)[0])[0].startswith(" radixtop  live chat  the recording stopped")


def test_what_watching_costs_gives_way_to_what_the_source_says() -> None:
    said = replace(STATUS, message="the workload was stopped", overhead=0.015)
    wide, narrow = (plain(header(said, tabs("overview"), width)[0])[0] for width in (90, 80))
    assert "probe 1.5%" in wide and "probe" not in narrow
    assert "the workload was stopped" in wide and "the workload was stopped" in narrow


def test_trouble_is_left_to_the_banner() -> None:
    lost = replace(STATUS, state="lost", message="no such process")
    assert "no such process" not in plain(header(lost, tabs("overview"), 80)[0])[0]


@pytest.mark.parametrize(
    ("width", "written"),
    [
        (48, " 1overview 2tree 3swa 4evictions 5requests"),
        (38, " 1overview 2tree 3swa 4evictions 5"),
        (28, " 1overview 2tree 3swa 4 5"),
        (23, " 1overview 2tree 3 4 5"),
        (12, " 1 2tree 3 4"),
    ],
)
def test_a_narrow_header_leaves_names_out_but_that_of_the_current_view(width: int, written: str) -> None:
    assert plain(header(STATUS, tabs("tree"), width)[0])[1].rstrip() == written


def test_all_views_are_named_in_two_stretches_of_80_columns() -> None:
    lines = {name: plain(header(STATUS, Tabs(tuple(VIEWS), name, VIEW_KEYS), 80)[0])[1].rstrip() for name in VIEWS}
    assert list(dict.fromkeys(lines.values())) == [
        " 1overview 2tree 3swa 4evictions 5requests 6ages 7flame 8events 9 0 M C y",
        " 1 2 3 4 5requests 6ages 7flame 8events 9compare 0fleet Mmisses Ccapacity ywhy",
    ]


@pytest.mark.parametrize("width", range(40, 130))
def test_the_current_view_is_named_and_every_one_can_be_clicked_at_any_width(width: int) -> None:
    for name in VIEWS:
        lines, hotspots = header(STATUS, Tabs(tuple(VIEWS), name, VIEW_KEYS), width)
        text = plain(lines)[1]
        assert f"{VIEW_KEYS[name]}{name}" in text.replace(" ", "")
        assert [spot.view for spot in hotspots] == list(VIEWS)
        assert all(spot.end <= width + 1 for spot in hotspots)


def test_a_view_with_a_letter_is_named_by_it() -> None:
    lines, hotspots = header(STATUS, Tabs(("tree", "misses"), "tree", {"misses": "M"}), 40)
    assert plain(lines)[1].startswith("  1 tree  M misses")
    assert [spot.key for spot in hotspots] == ["1", "M"]


def test_losses_and_the_moment_are_in_the_header() -> None:
    moment = Moment(12_500_000_000, 0, 100_000_000_000, 0, is_paused=True)
    status = Status("x", "replay", dropped_records=12_345, torn_blocks=2, moment=moment)
    assert plain(header(status, tabs("tree"), 100)[0])[0].endswith(
        "12.3k records dropped  2 blocks torn  1 Hz  ‖ paused at 00:12.5 / 01:40.0"
    )


def test_what_is_lost_of_servers_is_batches() -> None:
    told = (
        ({"fleet": None}, 3, "3 batches"),
        ({"fleet": None}, 1, " 1 batch"),
        ({}, 3, "3 records"),
        ({}, 1, "1 record"),
    )
    for samples, dropped, lost in told:
        state = SourceState("x", "live", dropped_records=dropped)
        status = status_of(STATUS, Snapshot(0, 0, 0, state, samples))
        assert f"{lost} dropped" in plain(header(status, tabs("tree"), 100)[0])[0]


def test_a_recording_has_one_clock_in_the_header() -> None:
    moment = Moment(12_500_000_000, 0, 100_000_000_000, 0)
    text = plain(header(replace(STATUS, moment=moment), tabs("tree"), 100)[0])[0]
    assert "00:01:23" not in text and text.endswith("  1 Hz  ▶ 1x 00:12.5 / 01:40.0")
    live = replace(moment, newest=SourceState("x", "live"))
    text = plain(header(replace(STATUS, moment=live), tabs("tree"), 100)[0])[0]
    assert "00:00:12" in text and "00:01:23" not in text  # that of the timeline, too


def test_a_view_is_clicked_where_it_is_written() -> None:
    lines, hotspots = header(STATUS, tabs("overview"), 80)
    spot = hotspots[2]
    assert (spot.key, plain(lines)[1][spot.start : spot.end]) == ("3", " 3 swa ")


def test_the_banner_gives_the_reason_first() -> None:
    status = Status("x", "lost", message="killed by signal 9", heartbeat_age_ns=3 * 10**9)
    assert plain(banner(status, 90)) == [
        " ✕ lost: killed by signal 9  last sign of life 3.0s ago  (figures as of then)"
    ]
    assert plain(banner(status, 40)) == [" ✕ lost: killed by signal 9"]


def test_what_has_no_room_in_the_header_has_lines_of_its_own() -> None:
    wants_key = (
        "http://127.0.0.1:30000 wants a key; give it with --api-key-file FILE, --api-key or in RADIXTOP_API_KEY"
    )
    starting = replace(STATUS, state="starting", message=wants_key)
    assert has_remark(starting, 80) and not has_remark(starting, 200)
    assert plain(header(starting, tabs("overview"), 80)[0])[0].startswith(" radixtop  live chat     ")
    said = plain(banner(starting, 80))
    assert " ".join("".join(said).split()) == wants_key
    assert len(said) == 2
    stale = replace(STATUS, state="stale", message="word " * 100)
    assert len(banner(stale, 80)) == 3
    assert plain(banner(stale, 80))[-1].endswith("…")


def test_the_footer_cuts_whole_keys_only() -> None:
    line, hotspots = footer([("q", "quit", "q"), ("?", "help", "question_mark")], 12)
    assert (plain([line]), [spot.key for spot in hotspots]) == ([" q quit"], ["q"])


@pytest.mark.parametrize("view", VIEWS)
def test_the_footer_of_80_columns_has_the_keys_of_its_view(view: str) -> None:
    shown = plain([footer(footer_keys(view), 80)[0]])[0] + " "
    own = [key.sign for key in KEYS if key.place == view and key.word]
    assert all(f" {sign} " in shown for sign in ("q", "?", "space", *own))
    assert own or all(f" {sign} " in shown for sign in ("[ ]", "/", "enter", "esc"))


def test_a_tiny_terminal_is_told_what_is_needed() -> None:
    assert plain(too_small(20, 5, (40, 10))) == [" terminal too small", " 20x5, needs 40x10", "      q quits"]
    assert len(too_small(20, 1, (40, 10))) == 1


def test_a_configuration_without_names_is_left_out() -> None:
    assert setup_of({}) == ""
    assert setup_of({"components": ["full", "swa"], "window": 128, "policy": "lru"}) == "full+swa  window 128  lru"
