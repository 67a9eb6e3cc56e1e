"""Other sizes on screen: where the marks of the curve are, and what is said of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.builtin.capacity import CapacityHits, CapacitySample
from radixtop.panel import Canvas
from radixtop.panels.capacity_curve import CapacityCurvePanel
from radixtop.panels.capacity_sizes import CapacitySizesPanel
from radixtop.render.capacity_graph import graph
from radixtop.render.lines import plain
from radixtop.words.capacity import FEW, sentences
from tests.support.watched import NOW, samples

FOUND = samples()["capacity"]
assert isinstance(FOUND, CapacitySample)
SAMPLE = FOUND


def of(quarter: int, half: int, now: int, double: int, most: int, requests: int = FEW) -> CapacitySample:
    """Return a sample of 1,000 tokens that were asked for."""
    hits = CapacityHits(requests, 1_000, now, now, (quarter, half, now, double, most))
    return CapacitySample(400, 1, (100, 200, 400, 800, 1_600), hits, None, 0, None, None, True)


def said(sample: CapacitySample | None) -> str:
    return " ".join(plain(sentences(sample)))


@pytest.mark.parametrize(
    ("hits", "verdict"),
    [
        ((100, 300, 500, 700, 800), "more room pays"),
        ((500, 500, 505, 510, 510), "half of it would do"),
        ((100, 300, 500, 505, 510), "what misses is due to the prompts, not to the room"),
        ((100, 300, 500, 505, 600), "more room would help a little"),
        ((100, 300, 500, 530, 540), "more room would help a little"),
    ],
)
def test_a_verdict_is_said_of_the_rates(hits: tuple[int, int, int, int, int], verdict: str) -> None:
    assert f": {verdict}." in said(of(*hits))
    assert ": too early to tell." in said(of(*hits, requests=FEW - 1))


def test_what_the_cache_did_not_make_of_its_room_is_said() -> None:
    sample = of(100, 300, 500, 700, 800)
    assert said(sample).endswith("LRU in this room: 50.0%; the cache found 50.0%.")
    windows = replace(sample, total=replace(sample.total, measured_tokens=400))
    assert said(windows).endswith("the cache found 50.0% and hit 40.0%: windows were gone.")
    less = replace(sample, total=replace(sample.total, found_tokens=400, measured_tokens=400))
    assert said(less).endswith("the cache found 40.0%, for what runs takes room, too.")


def test_the_unknown_is_said_to_be() -> None:
    sample = of(100, 300, 500, 700, 800)
    assert "does not tell" in said(None)
    assert "size of the pool is not told" in said(replace(sample, now_tokens=None, capacities=()))
    assert "no request has passed" in said(replace(sample, total=CapacityHits(0, 0, 0, 0, (0,) * 5)))
    assert "twice the room would hit -, half of it 30.0% (-20.0 points)" in said(replace(sample, known_tokens=400))


@pytest.mark.parametrize("width", [36, 76, 196])
def test_half_twice_and_what_there_is_have_their_rates_below_their_dots(width: int) -> None:
    lines = plain(graph(SAMPLE, width, 12))
    rule = next(line for line in lines if "└" in line)
    rates = lines[lines.index(rule) + 1]
    dots = {place for line in lines for place, character in enumerate(line) if character == "●"}
    assert dots == {place for place, character in enumerate(rule) if character == "┬"}
    for factor in (0.5, 1, 2):
        text = f"{100 * (SAMPLE.hit_rate(100_000 * factor, SAMPLE.newest) or 0):.1f}%"
        assert any(rates.find(text) <= dot <= rates.find(text) + len(text) for dot in dots), (factor, rates)


def test_beyond_what_is_known_nothing_is_drawn() -> None:
    known = replace(SAMPLE, known_tokens=100_000)
    lines = plain(graph(known, 76, 12))
    now = next(line for line in lines if "└" in line).rindex("┬", 0, -12)
    assert all(set(line[now + 1 :]) <= {" "} for line in lines[:8])
    assert [line.split()[1:] for line in plain(CapacitySizesPanel().paint(known, Canvas(40, 9, NOW)))[4:6]] == [
        ["200k", "-", "-"],
        ["400k", "-", "-"],
    ]


def test_without_the_bytes_of_a_slot_it_is_told_by_slots() -> None:
    lines = plain(CapacitySizesPanel().paint(replace(SAMPLE, slot_bytes=None), Canvas(80, 9, NOW)))
    assert lines[0].split()[-2:] == ["per", "1k"]
    assert lines[3].split()[2] == "-"


def test_a_late_watch_says_so() -> None:
    assert "twice the room would hit at least 70.0%" in said(replace(of(1, 3, 500, 700, 800), is_whole=False))
    assert "began late" in CapacityCurvePanel().note(replace(SAMPLE, is_whole=False))
