"""Whether what was evicted was still wanted, in words: worked examples, and what is missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probes.builtin.ages import AgesSample, ComponentAges
from probes.builtin.ghosts import GhostSample, GhostTokens
from probes.log_shape import LogShape
from radixtop.words.ages import answer
from tests.support.watched import SECOND, ghosts


def told(ages: AgesSample | None, found: GhostSample | None = None, component: str = "full") -> str:
    return "".join(text for text, _ in answer(ages, found, component))


def ages(fresh: float, evicted: int = 100, hits: int = 100) -> AgesSample:
    """Return ages where half had been idle for 12 s, and nine in ten reuses come within 9 s."""
    idle = LogShape(evicted, p50=12.0 * SECOND, first=80, bins=(evicted,)) if evicted else LogShape()
    reuse = LogShape(hits, p90=9.0 * SECOND, first=79, bins=(hits,)) if hits else LogShape()
    return AgesSample(reuse, LogShape(), (ComponentAges("full", idle, idle, fresh / 2, fresh),), 0)


def back(share: float) -> GhostSample:
    tokens = GhostTokens(1_000, (0, 0, round(1_000 * share), 1_000))
    return replace(ghosts(), components=(replace(ghosts().components[0], last_minute=tokens),))


@pytest.mark.parametrize(
    ("fresh", "returned", "verdict"),
    [
        (0.0, 0.0, "little is lost"),
        (0.2, 0.0, "some of it was as fresh as what is reused"),
        (0.6, 0.0, "it was as fresh as what is reused, more memory may help"),
        (0.0, 0.05, "some of it was still wanted"),
        (0.0, 0.12, "more memory would help"),
    ],
)
def test_what_came_back_proves_and_what_is_fresh_hints(fresh: float, returned: float, verdict: str) -> None:
    assert told(ages(fresh), back(returned)) == (
        "Half of what was evicted (full) had been idle for 12.0s; nine in ten reuses come within 9.00s: "
        f"{verdict}.  They have {fresh / 2:.1%} in common; "
        f"{returned:.1%} of what was evicted came back within a minute."
    )


def test_without_ghosts_only_hints_are_given() -> None:
    assert told(ages(0.6)).endswith("more memory may help.  They have 30.0% in common.")


def test_what_is_missing_for_a_comparison_is_said() -> None:
    assert told(None) == "- this source does not tell ages."
    assert told(ages(0.6, evicted=0)) == "Nothing of full was evicted yet; 100 nodes were hit."
    assert told(ages(0.6), component="swa") == "Nothing of swa was evicted yet; 100 nodes were hit."
    assert told(ages(0.6, hits=3)) == "Too little was seen to compare: 100 evicted, 3 hit; 30 of each are needed."


def test_that_little_is_lost_is_said_once_a_minute_was_watched() -> None:
    young = replace(back(0.0), watched_ns=59 * SECOND)
    assert "reuses come within 9.00s: too early to tell." in told(ages(0.0), young)
