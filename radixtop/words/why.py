"""What is wrong in a sentence, what it goes by, and what is not known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from profiles.finding import Finding, Severity
from profiles.judging import LEAST_REQUESTS
from radixtop.render.lines import Line, Role, Span, clean, first_that_fits
from radixtop.render.units import clock, count, duration, grouped, share
from radixtop.why.page import WhyPage

if TYPE_CHECKING:
    from profiles.evidence.evidence import Evidence
    from radixtop.messages import Frame

SIGNS: dict[Severity, tuple[str, Role]] = {"alarm": ("■", "bad"), "warn": ("▲", "warn"), "note": ("·", "label")}
"""How a severity is drawn beside its word."""

SHOWN_IN: dict[str, str] = {
    "salted_requests": "tree",
    "early_divergence": "tree",
    "late_divergence": "tree",
    "swa_pool_small": "swa",
    "branching_off": "swa",
    "capacity_small": "capacity",
    "policy_unfit": "capacity",
    "lpm_fallback": "requests",
    "retraction_storm": "requests",
    "page_size": "requests",
    "tenant_flood": "misses",
    "tail_windows_lost": "swa",
    "eviction_stall": "evictions",
    "chunk_boundary": "swa",
    "reuse_off": "requests",
    "computed_twice": "requests",
    "host_unloaded": "requests",
    "long_waits": "requests",
    "slots_leak": "tree",
    "dead_weight": "tree",
    "hit_drop": "compare",
    "requests_refused": "requests",
    "requests_aborted": "requests",
    "nothing_finished": "requests",
    "state_chunk_coarse": "requests",
    "state_pool_small": "requests",
    "records_lost": "events",
}
"""The view that shows more of what a finding is about."""


def answer(page: WhyPage | None) -> list[Line]:
    """Return what is wrong in sentences: the verdict, what it goes by, and what is not known."""
    if page is None or (page.evidence is None and not page.trouble):
        return [(("why: ", "label"), (_on_the_way(None if page is None else page.progress), "dim"))]
    if page.trouble or page.evidence is None:
        return [(("why: ", "label"), (clean(page.trouble), "warn"))]
    evidence = page.evidence
    first = (*_verdict(page, evidence), (f"  {_looked_at(page, evidence)}", "text"), *_reading(page))
    unknown = list(unknowns(page, evidence))
    return [first, (("not known: ", "label"), ("; ".join(unknown), "dim"))] if unknown else [first]


def _on_the_way(progress: float | None) -> str:
    return "reading what is kept of the run" + ("" if progress is None else f", {progress:.0%}")


def _reading(page: WhyPage) -> Line:
    return () if page.progress is None else ((f"  ({_on_the_way(page.progress)})", "warn"),)


def _verdict(page: WhyPage, evidence: Evidence) -> Line:
    if not page.findings:
        if not evidence.requests:
            return (("No request was seen from start to end yet: nothing to judge by.", "label"),)
        return (("✓ All is well: nothing to complain about.", "good"),)
    return (*_sums(page.findings), (".", "text"))


def _sums(findings: tuple[Finding, ...]) -> Line:
    """Return how many findings there are of each severity."""
    spans: list[Span] = []
    for severity in ("alarm", "warn", "note"):
        number = sum(finding.severity == severity for finding in findings)
        if number:
            sign, role = SIGNS[severity]
            word = {"alarm": "alarm", "warn": "warning", "note": "note"}[severity]
            spans += [(", ", "text")] if spans else []
            spans.append((f"{sign} {number} {word}{'s' if number > 1 else ''}", role))
    return tuple(spans)


def _looked_at(page: WhyPage, evidence: Evidence) -> str:
    requests = f"{grouped(evidence.requests)} request{'' if evidence.requests == 1 else 's'}"
    where = "since the start" if page.starts_at <= page.run_at else f"since {clock(page.starts_at - page.run_at)}"
    return (
        f"Looked at {requests}, {count(evidence.prompt_tokens)} prompt tokens, {share(evidence.hit_rate)} hit, "
        f"in {duration(evidence.span_ns)} {where}."
    )


def unknowns(page: WhyPage, evidence: Evidence) -> Iterator[str]:
    """Yield what cannot be told, or not yet."""
    if page.is_cut:
        yield "what was before: that is not kept"
    if 0 < evidence.requests < LEAST_REQUESTS:
        yield f"what requests have in common, of which {LEAST_REQUESTS} are needed"
    lost = evidence.losses
    if lost.records:
        yield f"{grouped(lost.records)} records were missed"
    if not lost.tree_known:
        yield "the whole tree"
    elif not lost.remembers_all:
        yield "what was cached before the watch began"
    if evidence.requests and evidence.work.ns_per_token is None:
        yield "what a token costs in time: no step tells"
    if evidence.requests and evidence.scheduling.passes is None:
        yield "how who waits was put in order"


def headline(frame: Frame, width: int) -> Line | None:
    """Return the first finding if it was looked for and is more than a note; else nothing."""
    page = frame.answer(WhyPage)
    if page is None or not page.findings or page.findings[0].severity == "note":
        return None
    first = page.findings[0]
    sign, role = SIGNS[first.severity]
    start: Line = ((f"why: {sign} {first.severity}: ", role), (clean(first.title), "text"))
    of = "requests" if first.cost.unserved else "prompt tokens" if first.cost.tokens else ""
    cost = f", {share(first.cost.share)} of {of}" if of else ""
    return first_that_fits(((*start, (cost, "value")), start), width)
