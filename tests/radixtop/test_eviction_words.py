"""What evictions cost and whether they thrash, in words: worked examples, and what is not known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.builtin.evictions import EvictionMinute, EvictionSample
from probes.builtin.ghosts import GhostSample, GhostTokens
from radixtop.messages import Frame
from radixtop.render.lines import Line
from radixtop.words.evictions import answer, cost_words, headline, queue_words, thrash_words
from tests.support.watched import NOW, SECOND, FakeSource, ghosts, samples


def said(line: Line) -> str:
    return "".join(text for text, _ in line)


def sample(**minute: int) -> EvictionSample:
    """Return a sample whose last minute has these figures; the dearest call took 50 ms."""
    whole = samples()["evictions"]
    assert isinstance(whole, EvictionSample)
    last = replace(EvictionMinute(60 * SECOND), **minute)
    return replace(whole, last_minute=last, most_history=(None,) * 59 + (50e6,))


def returned(evicted: int, back: int, **fields: int) -> GhostSample:
    """Return ghosts of one component, of which so much came back within 30 s."""
    tokens = GhostTokens(evicted, (0, back, back, back))
    full = replace(ghosts().components[0], total=tokens, last_minute=tokens)
    return replace(ghosts(), components=(full,), **fields)


@pytest.mark.parametrize(
    ("timed_ns", "words"),
    [
        (186_000_000, "Evictions take 3.10ms of each second (0.3%), 4.20µs a victim, at most 50.0ms a call: cheap."),
        (3_000_000_000, "50.0ms of each second (5.0%), 67.7µs a victim, at most 50.0ms a call: they are felt."),
        (
            12_000_000_000,
            "200ms of each second (20.0%), 271µs a victim, at most 50.0ms a call: they hold the cache up.",
        ),
    ],
)
def test_the_cost_is_what_a_second_has_of_it(timed_ns: int, words: str) -> None:
    line = cost_words(sample(calls=440, timed_calls=440, victims=44_286, timed_victims=44_286, timed_ns=timed_ns))
    assert said(line).endswith(words)


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (76, "evictions take 0.3% of the time: cheap; 15.0% came back: it thrashes"),
        (
            118,
            "evictions take 0.3% of the time: cheap; 15.0% of what was evicted (full) came back within 30 s: "
            "it thrashes.",
        ),
        (68, "evictions take 0.3% of the time: cheap; 15.0% came back: it thrashes"),
        (61, "evictions take 0.3% of the time; 15.0% came back: it thrashes"),
        (36, "evictions take 0.3% of the time"),
    ],
)
def test_the_headline_has_the_cost_in_any_room(width: int, words: str) -> None:
    minute = {"calls": 440, "timed_calls": 440, "victims": 44_286, "timed_victims": 44_286, "timed_ns": 186_000_000}
    told = {"evictions": sample(**minute), "ghosts": returned(1_000, 150)}
    snapshot = replace(FakeSource().tick(NOW), samples=samples() | told)
    line = headline(Frame(snapshot), width)
    assert line is not None and said(line) == words


def test_where_some_calls_were_not_timed_the_cost_is_a_least_one() -> None:
    line = cost_words(sample(calls=9, timed_calls=8, victims=9, timed_victims=8, timed_ns=60_000_000))
    assert said(line).startswith("Evictions take at least 1.00ms of each second (0.1%), 7.50ms a victim")


def test_what_was_not_measured_is_not_said_to_be_cheap() -> None:
    assert said(cost_words(sample(calls=9, victims=9))) == (
        "9 calls in the last minute; what they took was not measured."
    )


def test_without_evictions_nothing_is_judged() -> None:
    assert said(cost_words(None)) == "- this source tells of no evictions."
    assert said(cost_words(sample())) == "Nothing was evicted in the last minute; 812 calls before."
    assert said(cost_words(replace(sample(), calls=0))) == "Nothing was evicted since the watch began."
    assert "came back" not in said(answer(replace(sample(), calls=0), returned(0, 0), 1, {}))


def test_a_queue_that_is_made_for_each_call_is_named_by_its_evidence() -> None:
    slow = sample(
        calls=10, timed_calls=10, victims=40, timed_victims=40, leaves_considered=48_160, timed_ns=10**9,
        queue_build_ns=970_000_000,
    )  # fmt: skip
    assert said(queue_words(slow, {"evictor": "rebuild"})) == (
        "  1,204 leaves are considered for each victim: a queue of all leaves is rebuilt for each call, 97.0% of the "
        "time; try --evictor incremental."
    )
    assert "try" not in said(queue_words(slow, {}))
    untimed = sample(calls=10, victims=40, leaves_considered=48_160)
    assert said(queue_words(untimed, {})) == "  1,204 leaves are considered for each victim."
    assert queue_words(sample(calls=10, victims=40, leaves_considered=41), {}) == ()


@pytest.mark.parametrize(
    ("back", "words"),
    [
        (120, "12.0% of what was evicted (full) came back within 30 s: it thrashes."),
        (50, "5.0% of what was evicted (full) came back within 30 s: some of it was still wanted."),
        (10, "1.0% of what was evicted (full) came back within 30 s: little was lost."),
    ],
)
def test_thrash_is_what_came_back_in_time(back: int, words: str) -> None:
    assert said(thrash_words(returned(1_000, back), 1)) == words


def test_a_horizon_that_was_not_watched_yet_and_tokens_that_were_not_followed_are_told() -> None:
    young = returned(1_000, 120, watched_ns=12 * SECOND, unfollowed_tokens=1)
    assert said(thrash_words(young, 1)) == (
        "At least 12.0% of what was evicted (full) came back within 30 s: it thrashes, watched for 12s."
    )
    assert "5 min" in said(thrash_words(young, 3))


def test_the_component_that_lost_most_is_the_one_that_is_named() -> None:
    assert "(swa)" in said(thrash_words(ghosts(), 1))


def test_returns_that_a_source_does_not_tell_are_no_sign_of_health() -> None:
    assert said(thrash_words(None, 1)) == "- what came back is not told."


def test_where_too_much_was_evicted_to_follow_no_share_is_claimed() -> None:
    line = thrash_words(returned(1_000, 0, unfollowed_tokens=990), 1)
    assert said(line) == "- what came back is not known: more was evicted than can be followed."


def test_a_share_that_may_be_larger_is_not_said_to_be_small() -> None:
    line = thrash_words(returned(1_000, 10, unfollowed_tokens=700), 1)
    assert said(line) == "At least 1.0% of what was evicted (full) came back within 30 s: more may have."


def test_that_little_was_lost_is_said_once_the_horizon_was_watched() -> None:
    young, old = (returned(1_000, 0, watched_ns=seconds * SECOND) for seconds in (29, 30))
    assert said(thrash_words(young, 1)).endswith("came back within 30 s: too early to tell, watched for 29s.")
    assert said(thrash_words(old, 1)).endswith("came back within 30 s: little was lost.")
