"""Requests that got no answer, and those that were thrown out: who counts as what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cache_core.events import (
    ABORTED,
    OUT_OF_SLOTS,
    STOPPED,
    TOO_LONG,
    Evict,
    RequestAdmitted,
    RequestFinished,
    RequestRefused,
    RequestRetracted,
)
from probes.fold import joined
from probes.lives.misses import Rounding
from probes.lives.request_life import Life
from probes.mirror import Mirror
from profiles.evidence.evidence import Evidence
from profiles.evidence.requests import Retractions, Unserved
from profiles.evidence.scheduling import ThrownOut
from profiles.evidence.scope import Scope
from profiles.evidence.unserved import Unanswered
from profiles.finding import FINDINGS, Finding
from tests.support.evidences import SHOWN
from tests.support.records import record

ADMITTED = record(RequestAdmitted, request=1, at=6, prompt_tokens=300, device_hit_tokens=40)
FINISHED = record(RequestFinished, request=1, at=6, prompt_tokens=300)


def out(reason: int = OUT_OF_SLOTS, request: int = 1) -> RequestRetracted:
    return record(RequestRetracted, request=request, at=6, recomputed_tokens=30, reason=reason)


def refused(request: int = 1, reason: int = TOO_LONG, **tokens: int) -> RequestRefused:
    return record(RequestRefused, request=request, at=6, reason=reason, **tokens)


def told(part: ThrownOut | Unanswered, *records: Any) -> Any:
    folds = joined((part.folds(),))
    for each in records:
        for fold in folds[type(each)]:
            fold(each)
    return part.frozen()


def unserved(*records: Any) -> Unserved:
    found = told(Unanswered(Scope()), *records)
    assert isinstance(found, Unserved)
    return found


def thrown_out(*records: Any) -> tuple[Retractions, Retractions]:
    """Return who was thrown out for want of tokens, and of states."""
    scope = Scope()
    scope.mirror = Mirror(("full", "mamba"))
    found = told(ThrownOut(scope), *records)
    assert isinstance(found, tuple)
    return found


def test_the_largest_that_was_refused_is_known_with_its_answer() -> None:
    found = unserved(
        FINISHED, refused(2, prompt_tokens=900, new_tokens=1_000), refused(3, prompt_tokens=950, new_tokens=960)
    )
    assert (found.ended, found.refused, found.largest_tokens, found.largest_prompt) == (3, 2, 1_000, 900)


def test_a_source_that_tells_no_end_tells_the_prompt() -> None:
    assert unserved(refused(prompt_tokens=900)).largest_tokens == 900


def test_who_is_aborted_is_given_up_and_others_come_back() -> None:
    found = unserved(out(ABORTED), out(OUT_OF_SLOTS, 2), out(STOPPED, 3), out(0, 4))
    assert (found.ended, found.aborted, found.aborted_tokens) == (1, 1, 30)


def test_who_did_not_end_waits_or_runs() -> None:
    scope = Scope()
    scope.log.alive = {number: Life(number, 10 * number, 100, Rounding()) for number in (1, 2)}
    scope.log.alive[2].state = "running"
    found = told(Unanswered(scope), FINISHED._replace(at=100))
    assert (found.waiting, found.running, found.oldest_ns) == (1, 1, 90)


def test_who_is_thrown_out_computes_again_what_it_does_not_find() -> None:
    assert thrown_out(ADMITTED, out(), ADMITTED, out(), ADMITTED) == (Retractions(2, 1, 520, 0), Retractions())


def test_who_is_refused_in_the_end_was_not_thrown_out() -> None:
    assert thrown_out(ADMITTED, out(), refused(reason=OUT_OF_SLOTS))[0] == Retractions()
    assert thrown_out(out(), ADMITTED, out(), refused())[0] == Retractions(1, 1, 260, 0)


def test_who_is_thrown_out_for_want_of_a_state_is_counted_apart() -> None:
    short = record(Evict, component=1, asked_tokens=1, freed_tokens=(0, 0))
    assert thrown_out(ADMITTED, short, out(), ADMITTED) == (Retractions(), Retractions(1, 1, 260, 0))
    enough = short._replace(component=0, asked_tokens=9, freed_tokens=(9, 1))
    assert thrown_out(ADMITTED, short, enough, out())[1].retractions == 1


def found(evidence: Evidence) -> Finding:
    finding = FINDINGS.load("requests_refused")().find(evidence)
    assert finding is not None and finding.change is not None
    return finding


def flag(evidence: Evidence) -> tuple[str, str]:
    change = found(evidence).change
    assert change is not None
    return change.flag, change.value


def test_the_flag_is_that_of_the_pool_that_is_too_small() -> None:
    shown = SHOWN["requests_refused"]
    assert flag(shown) == ("--full-slots", "9600")
    assert flag(replace(shown, config={**shown.config, "page_size": 64}, pools=())) == ("--full-slots", "9600")
    small = replace(shown, unserved=replace(shown.unserved, largest_tokens=500, largest_prompt=480))
    assert flag(replace(small, config={**shown.config, "components": ["full", "swa"]})) == ("--swa-slots", "6000")
    assert flag(small) == ("--full-slots", "18000")


def test_one_error_in_a_hundred_is_a_warning() -> None:
    shown = SHOWN["requests_refused"]
    by_number = [found(replace(shown, unserved=replace(shown.unserved, refused=each))) for each in (1, 3, 12)]
    assert [finding.severity for finding in by_number] == ["note", "warn", "alarm"]


def test_nothing_is_said_of_a_run_that_has_just_begun() -> None:
    kind, shown = FINDINGS.load("nothing_finished")(), SHOWN["nothing_finished"]
    young = kind.find(replace(shown, unserved=replace(shown.unserved, oldest_ns=10**9)))
    assert young is not None and young.severity == "note"
    assert kind.find(replace(shown, unserved=replace(shown.unserved, ended=1))) is None
