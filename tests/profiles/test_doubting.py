"""How sure findings are where records are missing."""

from __future__ import annotations

import pytest

from profiles.doubting import doubted
from profiles.evidence.evidence import Losses
from profiles.finding import Confidence, Cost, Finding, Sureness


@pytest.mark.parametrize(("level", "less"), [("sure", "likely"), ("likely", "guess"), ("guess", "guess")])
@pytest.mark.parametrize(
    ("losses", "reason"),
    [(Losses(records=1), "1 record missing"), (Losses(tree_known=False), "the tree is uncertain")],
)
def test_every_finding_is_a_step_less_sure(level: Sureness, less: Sureness, losses: Losses, reason: str) -> None:
    [found] = doubted([_finding("any", level)], losses)
    assert found.confidence == Confidence(less, f"it is so; but {reason}")


def test_where_nothing_is_missing_all_stays() -> None:
    findings = [_finding("any", "sure")]
    assert doubted(findings, Losses(torn_blocks=1)) == findings


def test_that_records_are_missing_is_sure() -> None:
    findings = [_finding("records_lost", "sure")]
    assert doubted(findings, Losses(records=9)) == findings


def _finding(name: str, level: Sureness) -> Finding:
    return Finding(name, "", "warn", Cost(), Confidence(level, "it is so"))
