"""Going back and forth on screen: a recording, a live source, what the header and the timeline say of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from probes.mirror import Mirror
from probes.snapshot import Snapshot, SourceState
from probes.travel.moment import Moment
from probes.travel.notable import Notable
from probes.travel.timeline import Timeline
from radixtop import cli
from radixtop.errors import RadixtopError
from radixtop.playing.live_transport import LiveTransport
from radixtop.playing.saved_run import SavedRun
from radixtop.playing.transport import Course
from radixtop.render.lines import plain
from radixtop.render.moment import moment_spans
from radixtop.render.timeline import strip_of, timeline_lines
from radixtop.session import Session
from radixtop.source import Source
from tests.support.block_script import BlockScript
from tests.support.screen import Dashboard, dashboard
from tests.support.travelled import STARTED, fresh, tree_of, windows_of, write_run

S = 1_000_000_000


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now = STARTED

    def __call__(self) -> int:
        return self.now


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_run(tmp_path_factory.mktemp("travel") / "run.rtrec")


def run(
    source: Source, scenario: Callable[[Dashboard], Coroutine[Any, Any, None]], size: tuple[int, int] = (120, 40)
) -> None:
    """Run a scenario on a dashboard."""

    async def main() -> None:
        async with dashboard(*size, source) as running:
            await running.tick()
            await scenario(running)

    asyncio.run(main())


# ---- a recording on screen


def test_keys_and_clicks_go_to_any_moment_of_a_recording(path: Path) -> None:
    clock = Clock()
    source = SavedRun(path, clock)

    async def scenario(running: Dashboard) -> None:
        def header() -> str:
            return running.lines()[0]

        assert "▶ 1x 00:00.0 / 01:39.5" in header()
        assert running.lines()[-3].startswith(" hit ") and "end 01:39.5" in running.lines()[-2]
        clock.now += 3 * S
        await running.tick()
        assert "▶ 1x 00:03.0" in header()
        await running.press("right_curly_bracket", "right_square_bracket")
        assert "▶ 1x 00:14.0" in header()
        await running.press("space", "right_square_bracket", "full_stop")
        assert "‖ paused at 00:14.7" in header()
        await running.press("left_square_bracket")
        assert "‖ paused at 00:14.2" in header()
        await running.press("greater_than_sign", "greater_than_sign", "less_than_sign", "p")
        assert "▶ 2x 00:14.2" in header()
        await running.press("L")
        assert "■ at the end, 01:39.5" in header()
        await running.press("home")
        assert " 00:00.0 / 01:39.5" in header()
        await running.pilot.click("#timeline", offset=(7 + 47, 0))
        await running.settle()
        assert " 00:49.2 / 01:39.5" in header()
        await running.press("t")
        assert "end 01:39.5" not in running.text()

    run(source, scenario)
    source.close()


def test_every_screen_shows_the_moment_and_the_tree_of_it(path: Path) -> None:
    source = SavedRun(path, Clock())
    source.begin(60 * S, 1.0, is_paused=True)

    async def scenario(running: Dashboard) -> None:
        await running.press("2")
        mirror, _ = fresh(path, source.moment.at if source.moment else 0)
        assert f"rows   {len(mirror.nodes) - 1} nodes" in running.text()
        await running.press("left_curly_bracket")
        mirror, _ = fresh(path, source.moment.at if source.moment else 0)
        assert f"rows   {len(mirror.nodes) - 1} nodes" in running.text()
        before = len(mirror.nodes)
        for _ in range(40):
            await running.pilot.press("full_stop")
        await running.settle()
        mirror, _ = fresh(path, source.moment.at if source.moment else 0)
        assert len(mirror.nodes) != before and f"rows   {len(mirror.nodes) - 1} nodes" in running.text()

    run(source, scenario)
    source.close()


@pytest.mark.parametrize("size", [(80, 24), (80, 16), (40, 12), (20, 5)])
def test_the_timeline_takes_no_room_that_is_not_there(path: Path, size: tuple[int, int]) -> None:
    source = SavedRun(path, Clock())

    async def scenario(running: Dashboard) -> None:
        has_timeline = any(line.startswith(" evict ") for line in running.lines())
        assert has_timeline == (size[1] >= 20)

    run(source, scenario, size)
    source.close()


def test_what_cannot_be_done_is_told_and_changes_nothing(path: Path) -> None:
    source = SavedRun(path, Clock())

    async def scenario(running: Dashboard) -> None:
        await running.press("home", "E")
        assert "no earlier burst of evictions" in running.text()
        assert "▶ 1x 00:00.0" in running.lines()[0]

    run(source, scenario)
    source.close()


def test_who_goes_to_a_moment_worth_it_is_told_what_it_is(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    moments = (Notable(STARTED + 2 * S, "fall", 0.6), Notable(STARTED + 4 * S, "burst", 2_100))
    monkeypatch.setattr(SavedRun, "course", replace(course(), notables=moments))
    source = SavedRun(path, Clock())

    async def scenario(running: Dashboard) -> None:
        for words in ("the hit rate fell by 60 points", "a burst of evictions, 2,100 tokens"):
            await running.press("e")
            assert words in running.text()

    run(source, scenario)
    source.close()


def test_a_storm_of_keys_is_survived(path: Path) -> None:
    clock, rng = Clock(), Random(1)
    source = SavedRun(path, clock)
    keys = ["space", "left_square_bracket", "right_square_bracket", "left_curly_bracket", "right_curly_bracket"]
    keys += ["full_stop", "e", "E", "less_than_sign", "greater_than_sign", "L", "home", "t", "1", "2", "6"]

    async def scenario(running: Dashboard) -> None:
        for _ in range(6):
            clock.now += rng.randrange(S)
            await running.pilot.press(*rng.choices(keys, k=6))
        await running.press("1", "L")
        assert "01:39.5" in running.lines()[0]

    run(source, scenario)
    source.close()


@pytest.mark.parametrize("flags", [["--at", "12s"], ["--paused"]])
def test_a_moment_is_for_the_screen_alone(path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(path), "--headless", *flags]) == 2
    assert "--at and --paused are for the screen" in capsys.readouterr().err


# ---- a live source


class Live:
    """A live source over the blocks of a recording, watched up to some block."""

    def __init__(self, path: Path, history_bytes: int = 1 << 20, blocks: int = 240) -> None:
        self.script = BlockScript(path)
        self.session = Session(self.script)  # type: ignore[arg-type]
        self.session.keep(self.script, history_bytes)
        self.watch(blocks)

    @property
    def transport(self) -> LiveTransport:
        """The controls."""
        assert self.session.transport is not None
        return self.session.transport

    @property
    def moment(self) -> Moment:
        """Which moment is shown."""
        assert self.transport.moment is not None
        return self.transport.moment

    def watch(self, blocks: int) -> None:
        """Tick while so many blocks come."""
        for _ in range(0, blocks, 4):
            self.session.tick(self.script.at)

    def settle(self) -> None:
        """Tick until what was asked for is shown."""
        self.session.tick(self.script.at)
        while self.transport.is_busy:
            self.session.tick(self.script.at)


class OnItsClock:
    """The source of a live one, on the clock of its script whatever the poller says."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self.transport = live.transport

    @property
    def mirror(self) -> Mirror:
        """See Source."""
        return self._live.session.mirror

    def tick(self, now: int) -> Snapshot:
        """See Source."""
        return self._live.session.tick(self._live.script.at)


def test_a_moment_that_is_stopped_stays_while_the_source_goes_on(path: Path) -> None:
    live = Live(path)
    before = live.session.tick(live.script.at)
    live.transport.toggle()
    tree = tree_of(live.session.mirror)
    live.watch(80)
    stopped = live.session.tick(live.script.at)
    assert windows_of(stopped)[0] == before.seq  # type: ignore[index]
    assert tree_of(live.session.mirror) == tree
    assert live.moment.is_paused and not live.moment.is_newest
    newest = live.transport.newest
    assert newest is not None and newest.seq > before.seq
    live.transport.toggle()
    assert live.session.tick(live.script.at).seq >= newest.seq and live.moment.is_newest


def test_the_past_of_a_live_source_is_as_in_its_recording(path: Path) -> None:
    live = Live(path)
    for _ in range(3):
        live.transport.leap(-1)
        live.settle()
        live.watch(8)
        snapshot = live.session.tick(live.script.at)
        mirror, expected = fresh(path, live.moment.at)
        assert tree_of(live.session.mirror) == tree_of(mirror)
        assert windows_of(snapshot) == windows_of(expected)
    live.transport.go_to_end()
    live.session.tick(live.script.at)
    assert live.moment.is_newest


def test_forward_to_the_end_is_live_again(path: Path) -> None:
    live = Live(path)
    live.transport.leap(-1)
    live.settle()
    assert live.moment.is_paused and not live.moment.is_newest
    live.transport.leap(1)
    live.transport.leap(1)
    assert live.moment.is_newest


def test_keys_stop_a_live_source_on_screen_go_back_and_are_live_again(path: Path) -> None:
    live = Live(path)

    async def scenario(running: Dashboard) -> None:
        def header() -> str:
            return running.lines()[0]

        assert "● live" in header() and not running.lines()[-2].startswith(" evict")
        await running.press("space")
        assert "‖ 0.0s ago  live goes on" in header()
        live.watch(40)
        await running.tick()
        assert "live goes on" in header() and "‖ 16s ago" in header()
        assert running.lines()[-2].startswith(" evict")
        await running.press("space")
        assert "● live" in header()
        await running.press("left_curly_bracket")
        live.settle()
        await running.press("full_stop")
        live.settle()
        await running.tick()
        assert "‖" in header() and "ago" in header()
        await running.press("L")
        assert "● live" in header()

    run(OnItsClock(live), scenario)


def test_a_source_that_dies_meanwhile_is_said_to_be_dead_and_its_past_can_still_be_seen(path: Path) -> None:
    live = Live(path)
    live.transport.leap(-1)
    live.settle()
    live.script.link = "lost"
    live.settle()
    assert live.moment.newest is not None and live.moment.newest.state == "lost"
    assert "✕ lost" in plain([moment_spans(live.moment, 80)])[0]
    live.transport.leap(-1)
    live.settle()
    assert tree_of(live.session.mirror) == tree_of(fresh(path, live.moment.at)[0])
    live.transport.go_to_end()
    assert live.session.tick(live.script.at).source.state == "lost"


def test_without_a_history_a_moment_can_be_stopped_and_no_other_gone_to(path: Path) -> None:
    live = Live(path, history_bytes=0)
    with pytest.raises(RadixtopError, match="no history is kept") as caught:
        live.transport.nudge(-1)
    assert "--history" in caught.value.hint
    before = live.session.tick(live.script.at)
    live.transport.toggle()
    live.watch(40)
    assert live.session.tick(live.script.at).seq == before.seq
    live.transport.toggle()
    assert live.session.tick(live.script.at).seq > before.seq


def test_a_storm_of_moves_in_a_live_source_ends_live(path: Path) -> None:
    live, rng = Live(path, history_bytes=64_000), Random(7)
    to = live.transport
    moves: list[Callable[[], object]] = [
        to.toggle, to.step, to.go_to_start, lambda: to.nudge(1), lambda: to.nudge(-1), lambda: to.leap(1),
        lambda: to.leap(-1), lambda: to.change_speed(4), lambda: to.seek(rng.randrange(2 * STARTED)),
    ]  # fmt: skip
    for _ in range(150):
        rng.choice(moves)()
        if rng.random() < 0.5:
            live.session.tick(live.script.at)
    to.go_to_end()
    live.watch(1_000)
    assert tree_of(live.session.mirror) == tree_of(fresh(path, 2**61)[0])


# ---- words and lines


MOMENT = Moment(STARTED + 12_500_000_000, STARTED, STARTED + 100 * S, STARTED)
LIVE = SourceState("x", "live")


@pytest.mark.parametrize(
    ("changes", "width", "said"),
    [
        ({}, 80, " ▶ 1x 00:12.5 / 01:40.0"),
        ({"speed": 0.25, "counted_from": STARTED + 10 * S}, 120, " sums since 00:10.0  ▶ 0.25x 00:12.5 / 01:40.0"),
        ({"counted_from": STARTED + 10 * S}, 80, " Σ 00:10.0  ▶ 1x 00:12.5 / 01:40.0"),
        ({"is_paused": True}, 80, " ‖ paused at 00:12.5 / 01:40.0"),
        ({"is_newest": True}, 80, " ■ at the end, 01:40.0"),
        ({"heading_for": STARTED + 30 * S, "progress": 0.43}, 80, " … to 00:30.0, 43.0%"),
        ({"newest": LIVE, "is_newest": True}, 80, ""),
        ({"newest": LIVE}, 120, " ◂ 88s ago, 1x  live goes on"),
        ({"newest": LIVE, "is_paused": True}, 80, " ‖ 88s ago"),
    ],
)
def test_the_header_says_which_moment_is_shown(changes: dict[str, Any], width: int, said: str) -> None:
    fields = {name: getattr(MOMENT, name) for name in Moment.__dataclass_fields__}
    assert plain([moment_spans(Moment(**{**fields, **changes}), width)])[0] == said


def course(known: int = 100) -> Course:
    """A run of 100 s whose hit rate falls at second 60, with a burst of evictions there."""
    rates = [0.9] * 60 + [0.3] * (known - 60)
    evicted = [0] * 58 + [500, 900, 700] + [20] * (known - 61)
    timeline = Timeline(
        STARTED, S, STARTED + known * S, (1_000,) * known, tuple(int(1_000 * rate) for rate in rates), tuple(evicted)
    )
    return Course(timeline, (Notable(STARTED + 60 * S, "fall", 0.6),))


def test_the_timeline_shows_the_fall_of_the_hit_rate_and_when_it_was() -> None:
    assert plain(timeline_lines(course(), MOMENT, 65)) == [
        " hit   ████████████████████████▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃▃  ▼ 01:00.0 -60 pt",
        " evict                        █▼▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁  end 01:40.0",
    ]


def test_what_is_not_counted_yet_is_blank_and_what_is_not_kept_is_dim() -> None:
    late = Moment(STARTED + 99 * S, STARTED, STARTED + 100 * S, STARTED + 20 * S)
    hit, _ = timeline_lines(course(known=70), late, 60)
    assert plain([hit])[0].rstrip().endswith("▃▃▃▃▃▃")
    assert hit[1][1] == "rule" and len(hit[1][0]) == 10


@pytest.mark.parametrize("width", [1, 8, 40, 64, 120, 200])
def test_a_timeline_fits_its_width_and_finds_its_moments_again(width: int) -> None:
    lines = timeline_lines(course(), MOMENT, width)
    assert all(sum(len(text) for text, _ in line) == width for line in lines)
    strip = strip_of(MOMENT, width)
    assert strip.time_at(strip.x) == STARTED and strip.time_at(strip.x - 1) is None
    assert all(
        strip.cell_of(at) == x - strip.x
        for x in range(strip.x, strip.x + strip.cells)
        if (at := strip.time_at(x)) is not None
    )


def test_a_run_of_which_nothing_is_known_has_an_empty_timeline() -> None:
    assert plain(timeline_lines(None, Moment(5, 5, 5, 5), 70)) == [" hit", f" evict{' ' * 48}end 00:00.0"]
