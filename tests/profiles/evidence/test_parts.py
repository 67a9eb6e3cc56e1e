"""The parts of a gathering, each by itself."""

from __future__ import annotations

from typing import cast

import pytest

from cache_core.events import Insert, Label, NodeLabelled
from probes.lives.gaps import Gap
from probes.lives.leaving import Leaving
from probes.lives.misses import MissClass, Rounding
from probes.lives.request_life import Life
from probes.mirror import Mirror
from profiles.evidence.accounts import Sums, accounts_of
from profiles.evidence.course import MOST_STRETCHES, Course, joined
from profiles.evidence.pages import Pages
from profiles.evidence.partings import Partings
from profiles.evidence.scope import Scope
from profiles.evidence.segments import Segment, segments_of
from profiles.evidence.tenants import TenantSums
from profiles.evidence.texts import Texts
from profiles.evidence.vain_windows import kept_in_vain
from tests.support.records import added, record

SYSTEM, TIME, QUESTION = 1, 2, 3


def life(request: int = 1, prompt: int = 400, full: int = 0, namespace: int = 0) -> Life:
    made = Life(request, 0, prompt, Rounding())
    made.is_known = True
    made.namespace = namespace
    made.device = made.full_boundary = full
    return made


def lose(made: Life, **lost: int) -> None:
    """Let a request miss tokens behind what was known, class by class."""
    for miss, tokens in lost.items():
        start = made.covered = max(made.covered, made.full_boundary)
        made.covered += tokens
        made.lose(cast("MissClass", miss), start, made.covered, [(start, made.covered, None)])


def prompt(time: int, label: int, system: int = 300) -> list[Segment]:
    """Return a prompt that begins with the time, then a system prompt, then a question."""
    end = time + system
    return [Segment(0, time, label, True), Segment(time, end, SYSTEM, True), Segment(end, 400, QUESTION, True)]


def test_a_request_is_in_its_accounts_to_the_token() -> None:
    made = life(full=100)
    made.device, made.gap = 60, 40
    lose(made, evicted=49, other_namespace=20, diverged=30, first_seen=200)
    assert accounts_of(made) == {
        "first_seen": 230, "other_namespace": 20, "evicted": 49, "window_never": 40, "last_token": 1,
    }  # fmt: skip
    made.gaps = Gap(60, 75, "window", Leaving(5)), Gap(75, 90, "state", Leaving(6)), Gap(90, 100, "state")
    lost = accounts_of(made)
    assert [lost[name] for name in ("window_evicted", "state_evicted", "state_never")] == [15, 15, 10]


def test_what_was_evicted_is_told_by_the_pool_that_was_short() -> None:
    made = life()
    for component in (0, 1, 2, None):
        made.lose("evicted", made.covered, made.covered + 10, [], Leaving(5, component=component))
    lost = accounts_of(made, ("full", "swa", "mamba"))
    assert [lost[name] for name in ("evicted", "evicted_for_window", "evicted_for_state")] == [20, 10, 10]


def test_what_lies_past_the_last_place_for_a_state_is_no_rounding_of_pages() -> None:
    made = Life(1, 0, 400, Rounding(16, 64))
    made.is_known = True
    made.device, made.gap, made.full_boundary, made.below_grid = 256, 48, 304, 48
    made.lose("first_seen", 304, made.matchable, [])
    assert made.matchable == 384
    assert accounts_of(made) == {"state_grid": 48, "first_seen": 80, "page_rounding": 15, "last_token": 1}


def test_what_is_known_inside_a_page_is_not_what_lies_behind_the_last_one() -> None:
    made = life(full=64)
    made.matchable = 390
    lose(made, page_rounding=32, diverged=294)
    lost = accounts_of(made)
    assert lost == {"first_seen": 294, "page_inside": 32, "page_rounding": 9, "last_token": 1}


def test_the_worst_requests_are_named() -> None:
    sums = Sums()
    for request in range(20):
        sums.add({"evicted": 10 * request}, request, at=request)
    assert [number for number, _ in sums.frozen(0)["evicted"].worst] == [19, 18, 17, 16, 15]


def test_a_long_course_has_longer_stretches() -> None:
    course = Course()
    for second in range(1_000):
        course.add(second * 10**9, 10, 5, {"evicted": 5})
    stretches = course.frozen()
    assert len(stretches) <= MOST_STRETCHES
    whole = joined(stretches)
    assert whole is not None and (whole.requests, whole.lost["evicted"]) == (1_000, 5_000)


def test_segments_are_read_off_the_path() -> None:
    mirror = Mirror(("full",))
    for each in (
        record(Label, id=SYSTEM, text="system"), record(Label, id=QUESTION, text="question"),
        added(1, 0, 100), record(NodeLabelled, node=1, start=0, label=SYSTEM),
        added(2, 1, 60, start=100), record(NodeLabelled, node=2, start=100, label=SYSTEM),
        record(NodeLabelled, node=2, start=120, label=QUESTION),
    ):  # fmt: skip
        mirror.apply(each)
    assert segments_of(mirror, 2, 160) == [(0, 120, SYSTEM, True), (120, 160, QUESTION, True)]
    assert segments_of(mirror, 2, 170)[-1] == (120, 160, QUESTION, False)
    assert segments_of(mirror, 2, 170, 32)[-1] == (120, 160, QUESTION, True)
    assert segments_of(mirror, 2, 170, 64)[-1] == (120, 160, QUESTION, False)
    assert segments_of(mirror, 9, 160) == []


def test_text_behind_other_tokens_is_known_by_name_and_length() -> None:
    texts = Texts(Scope())
    for number in range(4):
        texts.take(life(number), prompt(9, 10 + number), 399, at=number)
    found = texts.frozen()
    assert (found.requests, found.tokens, found.position, found.late_tokens) == (3, 3 * 300 + 3 * 91, 0, 0)


def test_a_name_for_texts_of_any_length_is_none() -> None:
    texts = Texts(Scope())
    for number in range(4):
        texts.take(life(number), [Segment(0, 100 + number, SYSTEM, True)], 399, at=number)
    assert texts.frozen().tokens == 0


@pytest.mark.parametrize(("first_seen", "tokens"), [(130, 5 * 91), (399, 0)])
def test_a_text_that_was_evicted_is_no_other_text_of_its_name(first_seen: int, tokens: int) -> None:
    """What is found to have been there ends at a mark, 40 tokens short of the end of the text."""
    texts = Texts(Scope())
    for number in range(6):
        system = Segment(0, 309, SYSTEM, True)
        texts.take(life(number), [system, Segment(309, 400, QUESTION, True)], first_seen, at=number)
    assert texts.frozen().tokens == tokens


def test_a_text_that_was_known_behind_others_may_begin_a_prompt() -> None:
    """Some prompts begin with the time and some do not, and the former were the first of each text."""
    texts = Texts(Scope())
    for number in range(6):
        with_time, without = prompt(9, 10 + number), [Segment(0, 300 + number, 20 + number, True)]
        texts.take(life(number), [*with_time[:1], Segment(9, 309 + number, 20 + number, True)], 399, at=2 * number)
        texts.take(life(number), without, 399, at=2 * number + 1)
    assert texts.frozen().tokens == sum(300 + number for number in range(6))


def test_names_that_stand_for_most_of_the_text_in_many_lengths_are_roles() -> None:
    """No prompt begins as another one did, and the questions are equally long: lengths alone tell."""
    texts = Texts(Scope())
    for number in range(12):
        end = 300 + 7 * number
        segments = [Segment(0, end, SYSTEM, True), Segment(end, end + 24, QUESTION, True)]
        texts.take(life(number, prompt=end + 24), segments, end + 23, at=number)
    assert not texts.frozen().is_named


def test_the_first_of_a_namespace_parts_with_nothing() -> None:
    texts = Texts(Scope())
    for number in range(6):
        texts.take(life(number, full=9, namespace=number // 2), [], 390, at=number)
    found = texts.frozen()
    assert (found.long, found.early, found.early_shared, found.early_shared_tokens) == (3, 3, 3, 3 * 390)


def test_the_same_text_in_another_namespace_is_told_apart() -> None:
    texts = Texts(Scope())
    for number in range(3):
        texts.take(life(number, namespace=number), prompt(9, TIME)[1:2], 399, at=number)
    assert texts.other_namespace_tokens == 600
    assert texts.frozen().tokens == 0


def test_what_parts_in_the_middle_parts_late() -> None:
    texts = Texts(Scope())
    for number in range(3):
        texts.take(life(number, full=200), [Segment(210, 400, SYSTEM, True)], 199, at=number)
    found = texts.frozen()
    assert (found.tokens, found.late_tokens, found.late_position) == (0, 2 * 190, 200)


def test_a_page_costs_what_lies_before_the_next_text() -> None:
    scope = Scope()
    scope.config = {"page_size": 64}
    pages = Pages(scope)
    pages.take(life(full=128), [Segment(0, 150, SYSTEM, True), Segment(150, 400, QUESTION, True)], at=3)
    pages.take(life(full=128), [Segment(0, 300, SYSTEM, True), Segment(300, 400, QUESTION, True)], at=3)
    assert (pages.frozen().told_tokens, pages.frozen().told_requests, pages.frozen().forks) == (22, 1, 2)


def test_what_lies_before_a_place_that_was_left_before_is_told_apart() -> None:
    """A document of 200 tokens, left at 150 twice and at 200 once; hits end at 0."""
    scope = Scope()
    for node, parent, start, tokens in ((1, 0, 0, 150), (2, 1, 150, 50), (3, 2, 200, 30), (4, 1, 150, 40)):
        scope.mirror.apply(added(node, parent, tokens, start=start, content_key=1_000 + node))
    partings = Partings(scope)
    for last_node, known in ((4, 150), (4, 150), (3, 200)):
        made = life(full=known)
        made.device, made.gap = 0, known
        made.steps = [record(Insert, node=last_node)]
        partings.take(made, known, at=0)
    told = partings.frozen()
    assert (told.again_tokens, told.again_requests) == (300, 2)
    assert [(n, tokens) for n, tokens in told.fresh if n] == [(1, 50), (1, 150)]


def test_windows_are_kept_in_vain_where_no_prompt_parts_within_a_window_below() -> None:
    """Four nodes of 50 tokens under each other, and two questions below the last."""
    mirror = Mirror(("full", "swa"))
    for node in range(1, 5):
        mirror.apply(added(node, node - 1, 50, start=50 * (node - 1), live=0b11, content_key=node))
    for node in (5, 6):
        mirror.apply(added(node, 4, 20, start=200, live=0b11, content_key=node))
    assert [kept_in_vain(mirror, 0b10, window) for window in (50, 100, 150, 500)] == [150, 100, 50, 0]


def test_who_is_to_blame_for_what_is_computed_again_is_who_room_was_made_for() -> None:
    tenants = TenantSums(Scope())
    made = life(full=100, namespace=1)
    made.device, made.gap, made.gaps = 60, 40, (Gap(60, 80, "window", Leaving(3, 8, 1)), Gap(80, 100, "window"))
    made.covered = 200
    made.lose("evicted", 100, 130, [(100, 130, None)], Leaving(4, 9, 2))
    made.lose("evicted", 130, 200, [(130, 200, None)], Leaving(4))
    tenants.take(made, accounts_of(made), at=5)
    tenants.take(life(namespace=2), {}, at=6)
    took = {each.name: (each.took_tokens, each.took_own_tokens) for each in tenants.frozen(0).largest}
    assert took == {"namespace 1": (0, 20), "namespace 2": (30, 0)}
