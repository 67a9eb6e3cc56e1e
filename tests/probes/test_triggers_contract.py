"""What every trigger promises, looped over the table."""

from __future__ import annotations

import pytest

from probes.mirror import Mirror
from probes.trigger import TRIGGERS, Trigger
from probes.window import SECOND_NS
from tests.support.records import ALL_CLASSES


@pytest.fixture(params=TRIGGERS)
def trigger(request: pytest.FixtureRequest) -> Trigger:
    return TRIGGERS.load(request.param)(Mirror())


def test_nothing_happened_when_nothing_was_seen(trigger: Trigger) -> None:
    assert trigger.reason(1000 * SECOND_NS) == ""


def test_it_takes_records_that_there_are(trigger: Trigger) -> None:
    assert trigger.folds()
    assert trigger.folds().keys() <= ALL_CLASSES


def test_every_threshold_says_what_it_means_and_can_be_set(trigger: Trigger) -> None:
    assert trigger.thresholds
    for name, threshold in trigger.thresholds.items():
        assert len(threshold.meaning) > 10
        assert type(trigger)(Mirror(), {name: 12.5}).levels[name] == 12.5
        assert trigger.levels[name] == threshold.default


def test_a_loss_is_survived(trigger: Trigger) -> None:
    trigger.lost()
    assert trigger.reason(1000 * SECOND_NS) == ""
