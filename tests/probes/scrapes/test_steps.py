"""A minute of figures: each second shows what the scrape that covers it told."""

from __future__ import annotations

from probes.scrapes.steps import Step, Steps
from tests.support.metrics_pages import S
from tests.support.observing import history


def rates(now: float, *steps: tuple[float, float, float]) -> tuple[float | None, ...]:
    kept = Steps()
    for since, until, rate in steps:
        kept.add(Step(int(since * S), int(until * S), rate, rate, rate))
    first, second, third = kept.histories(int(now * S))
    assert first == second == third
    return first


def test_a_step_is_seen_at_each_second_that_it_covers() -> None:
    assert rates(13, (10, 12, 0.5), (12, 13, 0.25)) == history(0.5, 0.5, 0.25)


def test_what_was_told_last_holds_as_long_as_it_covered_and_a_second() -> None:
    assert rates(16, (10, 12, 0.5)) == history(0.5, 0.5, 0.5, 0.5, 0.5, None)


def test_a_zero_is_no_gap() -> None:
    assert rates(12, (10, 12, 0.0)) == history(0.0, 0.0)


def test_before_the_first_scrape_nothing_is_known() -> None:
    assert rates(13, (12.5, 12.5, 0.5)) == history(0.5)


def test_a_minute_is_kept() -> None:
    steps = Steps()
    for second in range(500):
        steps.add(Step(second * S, (second + 1) * S, float(second), None, None))
    assert steps.histories(500 * S)[0] == tuple(float(second) for second in range(440, 500))
    assert len(steps._steps) < 70


def test_without_scrapes_there_are_sixty_unknown_points() -> None:
    assert Steps().histories(5 * S) == ((None,) * 60,) * 3
