"""Every panel of the table: it fits any room, shows the unknown as such, and looks as it was accepted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probes.builtin.branching import BranchingSample
from probes.builtin.hit_rate import HitTotals
from probes.builtin.occupancy import TransferState
from probes.snapshot import Snapshot, SourceState
from radixtop.panel import PANELS, Canvas
from radixtop.render.lines import fit, plain, width_of
from tests.support.fleets import engine, fleet
from tests.support.golden import assert_golden
from tests.support.watched import NOW, samples

GOLDENS = Path(__file__).parent / "goldens" / "panels"
SIZES = [(1, 1), (18, 3), (36, 5), (36, 10), (76, 7), (116, 14), (196, 40)]


def sample_of(name: str) -> object:
    told = {**samples(), "engine": engine(2), "fleet": fleet(2)}
    sample = PANELS.load(name)().of(Snapshot(0, NOW, NOW, SourceState("made up", "live"), told))
    assert sample is not None
    return sample


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_panel_keeps_to_its_room(name: str, size: tuple[int, int]) -> None:
    panel = PANELS.load(name)()
    for sample in (sample_of(name), None):
        lines = panel.paint(sample, Canvas(*size, NOW))
        assert panel.pinned or len(lines) <= size[1]
        assert all(width_of(fit(line, size[0])) == size[0] for line in lines)


@pytest.mark.parametrize("name", PANELS)
def test_an_unknown_sample_shows_no_digit(name: str) -> None:
    panel = PANELS.load(name)()
    text = "\n".join(plain(panel.paint(None, Canvas(36, 7, NOW))))
    for name_with_digit in ("10 s", "30 s", "1 min", "5 min", "p50", "p90", "p99", "100%", "50%", "0%"):
        text = text.replace(name_with_digit, "")
    assert not any(character.isdigit() for character in text), text


@pytest.mark.parametrize(("name", "history"), [("requests", "ttft_history"), ("evictions", "history")])
def test_a_history_without_a_sample_has_no_top(name: str, history: str) -> None:
    panel = PANELS.load(name)()
    sample: Any = sample_of(name)
    nothing = replace(sample, **{history: (None,) * 60})
    assert "top" in panel.note(sample) and "top" not in panel.note(nothing)


@pytest.mark.parametrize("name", PANELS)
@pytest.mark.parametrize("size", [(36, 5), (36, 10), (116, 9)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_panel_looks_as_accepted(name: str, size: tuple[int, int]) -> None:
    panel = PANELS.load(name)()
    sample = sample_of(name)
    lines = panel.paint(sample, Canvas(*size, NOW))[: size[1]]
    text = "\n".join([*plain(lines), f"-- {PANELS.title(name)}: {panel.note(sample)}"])
    assert_golden(text, GOLDENS / f"{name}-{size[0]}x{size[1]}.txt")


@pytest.mark.parametrize("size", [(36, 5), (76, 7), (116, 14)], ids=str)
def test_a_schedule_that_gave_way_is_said_in_a_panel_of_any_size(size: tuple[int, int]) -> None:
    panel = PANELS.load("requests")()
    sample: Any = replace(sample_of("requests"), fallbacks=12)  # type: ignore[type-var]
    (line,) = [line for line in panel.paint(sample, Canvas(*size, NOW)) if "fallbacks" in plain([line])[0]]
    assert plain([line])[0].split()[-2:] == ["fallbacks", "12"]
    assert ("12", "warn") in [(text.strip(), role) for text, role in line]


def test_a_row_of_the_branching_feed_names_its_node() -> None:
    panel = PANELS.load("branch_feed")()
    assert panel.node_at(sample_of("branch_feed"), 3) == 2
    assert panel.node_at(sample_of("branch_feed"), 40) is None


def test_the_bar_of_branching_points_shows_where_they_are_now() -> None:
    sample = BranchingSample(opened=10, filled=10, lost=5, open_now=0, recomputed_tokens=7, recent=())
    lines = plain(PANELS.load("branching")().paint(sample, Canvas(34, 6, NOW)))
    assert lines[1].split() == ["◆", "filled", "10", "100%"]
    assert lines[-1] == "█" * 17 + "×" * 17


def test_gaps_that_no_state_can_close_are_told_from_the_points_that_were_lost() -> None:
    sample = BranchingSample(6, 6, 0, 0, 2_722, (), below_grid=35, below_grid_tokens=1_762)
    lines = plain(PANELS.load("branching")().paint(sample, Canvas(36, 7, NOW)))
    assert lines[4].split() == ["recomputed", "2,722"] and lines[5].split() == ["below", "grid", "1,762"]
    assert lines[-1] == "█" * 34


def test_nodes_on_the_host_alone_are_counted_apart_and_copies_beside_what_is_live() -> None:
    sample: Any = replace(
        sample_of("nodes"), host_nodes=893, host_tokens=900, copied_nodes={"full": 1_700}, copied_tokens={"full": 50},  # type: ignore[type-var]
    )  # fmt: skip
    lines = [line.split() for line in plain(PANELS.load("nodes")().paint(sample, Canvas(36, 10, NOW)))]
    assert lines[0][:3] == ["on", "device", "1,000"] and lines[1][:3] == ["host", "only", "893"]
    assert lines[3][2:] == ["host", "nodes", "tokens"] and lines[4][2:] == ["full", "1,700", "50"]


def test_hits_on_the_host_are_part_of_the_rate_and_shown_apart() -> None:
    totals = HitTotals(10, 1_000, 700, 900, 300, 200)
    sample: Any = replace(sample_of("hit_rate"), total=totals, has_host_tier=True)  # type: ignore[type-var]
    lines = [line.split() for line in plain(PANELS.load("hit_rate")().paint(sample, Canvas(36, 18, NOW)))]
    shown = {" ".join(line[:-3]): line[-1] for line in lines[1:7]}
    assert shown == {
        "hit": "70.0%", "· host": "20.0%", "full": "90.0%", "gap": "200", "unused": "100", "queried": "1,000",
    }  # fmt: skip
    assert lines[10] == ["all", "██████████▓▓▓▓▒▒▒▒··"] and ["▓", "host", "hit:", "loaded", "back"] in lines


def test_a_copy_that_is_stuck_shows_by_its_age() -> None:
    sample: Any = replace(sample_of("pools"), transfers=TransferState(3, 0, 95_000_000_000))  # type: ignore[type-var]
    assert PANELS.load("pools")().note(sample).startswith("3 host copies, oldest ")
