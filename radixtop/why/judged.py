"""From evidence to a page: the findings, and for each the requests that lost most to what it is about."""

from __future__ import annotations

from profiles.evidence.evidence import Evidence
from profiles.finding import Finding
from profiles.ranking import diagnose
from radixtop.why.page import WhyPage, WhyQuestion

MOST_WORST = 5


def judged(question: WhyQuestion, evidence: Evidence, starts_at: int, run_at: int) -> WhyPage:
    """Return what is wrong by evidence that counts from `starts_at` on, of a run that began at `run_at`."""
    findings = diagnose(evidence)
    worst = {finding.name: worst_of(finding, evidence) for finding in findings}
    return WhyPage(question, findings, evidence, starts_at=starts_at, run_at=run_at, worst=worst)


def worst_of(finding: Finding, evidence: Evidence) -> tuple[tuple[int, int], ...]:
    """Return the requests that lost most to what a finding is about, with the tokens that they lost to it."""
    lost: dict[int, int] = {}
    for account, _ in finding.claims:
        for request, tokens in evidence.account(account).worst:
            lost[request] = lost.get(request, 0) + tokens
    for amount in finding.evidence:
        if amount.unit == "request" and isinstance(amount.value, int):
            lost.setdefault(amount.value, 0)
    return tuple(sorted(lost.items(), key=lambda item: (-item[1], item[0]))[:MOST_WORST])
