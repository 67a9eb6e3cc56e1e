"""The SWA view: is the pool of windows too small, and what lacks a window."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import pytest

from probes.builtin.occupancy import PoolState
from probes.builtin.request_log import RequestLogSample
from probes.builtin.windows import WindowsSample
from probes.lives.gap_causes import GapCauses
from probes.lives.misses import PromptTokens
from probes.lives.request_log import RequestLog
from probes.mirror import Mirror
from probes.snapshot import Snapshot
from radixtop.render.boundary_lines import boundary_bar, boundary_lines
from radixtop.render.lines import plain, width_of
from radixtop.render.tombstone_lines import tombstone_lines
from radixtop.requestlog.answerer import page_of
from radixtop.requestlog.page import RequestRow, RequestsQuestion
from radixtop.swa import census
from radixtop.swa.answerer import TombstonesAnswerer
from radixtop.swa.page import Bucket, Tombstones, TombstonesQuestion
from radixtop.words.swa import Evidence, answer
from tests.support.request_logs import request_log
from tests.support.watched import NOW, FakeSource, mirror

POOL = PoolState("swa", 30, 2_870, 60, 40, 3_000)
WINDOWS = WindowsSample("swa", 128, 41, 12_000, 90_000, 87_760, 1_632, 40_000, (), ())


def evidence(gaps: GapCauses, prompt: int = 100_000) -> Evidence:
    tokens = PromptTokens(90, prompt)
    return Evidence(WINDOWS, RequestLogSample(tokens, tokens, gaps, gaps, True, RequestLog()), POOL)


def said(what: Evidence, width: int = 120) -> str:
    return "\n".join(plain(answer(what, width)))


def test_windows_that_left_too_early_make_the_pool_too_small() -> None:
    text = said(evidence(GapCauses(never=100, early=4_100, requests=41)))
    assert text.startswith("swa pool 99.0% full: too small; 41 requests in 60 s needed windows")
    assert "4,100 tokens computed again, 4.1% of all prompts; try --swa-slots 6000" in text
    assert "12.0k tokens by 41 requests, about 480ms of prefill (derived: 40.0µs a token)" in text


@pytest.mark.parametrize("gaps", [GapCauses(unknown=4_100), GapCauses(never=4_100, unknown=1_000)])
def test_windows_that_left_unseen_are_no_verdict(gaps: GapCauses) -> None:
    for width in (36, 120):
        text = said(evidence(gaps), width)
        assert "not known" in text
        assert not any(word in text for word in ("not too small", "large enough", "too small;"))


@pytest.mark.parametrize("gaps", [GapCauses(never=4_100), GapCauses(late=4_100)])
def test_windows_that_were_never_kept_or_are_long_gone_are_not_of_the_pool(gaps: GapCauses) -> None:
    assert "not too small; 4,100 tokens were computed again" in said(evidence(gaps))


def test_a_pool_whose_losses_nobody_asks_for_is_large_enough() -> None:
    assert "large enough; in 60 s only 100 of 100k prompt tokens" in said(evidence(GapCauses(early=100, requests=3)))


def test_one_request_alone_proves_nothing() -> None:
    assert "too small" not in said(evidence(GapCauses(early=9_000, requests=1)))


def test_narrow_screens_get_one_short_sentence() -> None:
    text = said(evidence(GapCauses(early=4_100, requests=41)), 36)
    assert text == "swa pool 99.0% full: too small; 4,100 tokens (4.1%) lost their window"
    never = said(evidence(GapCauses(never=4_100)), 36)
    assert never == "swa pool 99.0% full: not too small; 4,100 tokens (4.1%) had no window kept"


def test_what_is_not_known_is_not_judged() -> None:
    nothing = evidence(GapCauses(), prompt=0)
    assert "-  no request" in said(nothing) and "-  no request" in said(nothing, 36)
    assert said(Evidence(None, None, None)).startswith("pool of windows: -")
    assert said(Evidence(replace(WINDOWS, component=None), None, None)).startswith("no sliding window in this cache")
    assert "what that took is not known" in said(replace(nothing, windows=replace(WINDOWS, ns_per_token=None)))


def rows() -> tuple[RequestRow, ...]:
    return page_of(request_log(NOW).log, mirror(), RequestsQuestion(20), NOW).rows


def test_a_bar_has_both_boundaries_and_the_branching_point() -> None:
    (row,) = (row for row in rows() if row.request == 502)
    assert plain([boundary_bar(row, 42)]) == ["█" * 10 + "▒" * 29 + "◇" + "·" * 2]


def test_a_gap_of_one_token_is_seen() -> None:
    (row,) = (row for row in rows() if row.request == 500)
    assert "▒" in plain([boundary_bar(row._replace(full_boundary=row.full_boundary + 1), 40)])[0]


@pytest.mark.parametrize("width", [36, 76, 116])
def test_lines_of_boundaries_keep_to_their_width_and_name_what_became_of_points(width: int) -> None:
    lines = boundary_lines(rows(), {502: "filled"}, width)
    assert {width_of(line) for line in lines} == {width}
    assert ("◆ filled" in "\n".join(plain(lines))) == (width > 50)
    assert not any("#601" in line for line in plain(lines))


def counted(tree: Mirror, slices: int) -> Tombstones | None:
    source, answerer = FakeSource(mirror=tree), TombstonesAnswerer(lambda: next(hours))
    snapshot = Snapshot(1, NOW, NOW, source.state, {})
    found, hours = None, count(0, 3_600_000_000_000)
    for _ in range(slices):
        found = answerer.answer(source, snapshot, TombstonesQuestion())
    return found


def test_the_tree_is_counted_by_depth_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = counted(mirror(), 1)
    assert whole is not None
    tombstones = [node for node in mirror().nodes.values() if node.live == 1]
    assert sum(bucket.tombstones for bucket in whole.buckets) == len(tombstones) == 4
    assert sum(bucket.live_tokens + bucket.tombstone_tokens for bucket in whole.buckets) == mirror().census.tokens
    assert all(bucket.start < bucket.end for bucket in whole.buckets)
    monkeypatch.setattr(census, "SLICE_SLOTS", 10)
    assert counted(mirror(), 1) is None
    assert counted(mirror(), 3) == whole


def test_a_cache_without_windows_has_nothing_to_count() -> None:
    assert counted(Mirror(("full",)), 1) == Tombstones((), NOW)


def test_depths_are_drawn_in_one_scale() -> None:
    found = Tombstones((Bucket(0, 128, 30, 10, 1), Bucket(128, 256, 0, 20, 2), Bucket(1_048_576, -1, 0, 0, 0)), NOW)
    lines = plain(tombstone_lines(found, 61, 9))
    assert lines[0].startswith("50.0% of tokens lack their window")
    assert [line[11:43].rstrip() for line in lines[1:]] == ["█" * 24 + "†" * 8, "†" * 16, ""]
    assert plain(tombstone_lines(None, 60, 9)) == ["-"]
