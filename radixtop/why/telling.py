"""Findings as text for a person, 80 cells wide and without colour, and as one JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from probes.recordings.missing import WHOLE, Missing
from profiles.cost_model import DERIVED
from profiles.evidence.evidence import Evidence
from profiles.finding import Amount, Change, Finding, Gain, Severity, at_least
from profiles.plain import plain
from profiles.questions import QUESTIONS
from radixtop.printable import clean
from radixtop.render.units import duration, grouped, share
from radixtop.why.page import WhyPage

_TOPIC_CELLS = 12
VERSION = 1
NOTHING_SEEN = "no request was seen from start to end: nothing to judge by"


def lines_of(name: str, evidence: Evidence, findings: Sequence[Finding], width: int = 80) -> Iterator[str]:
    """Yield the lines of a report. Nothing in them can drive a terminal."""
    yield from _wrapped("", _headline(name, evidence), width, 0)
    if not findings:
        yield "nothing to complain about" if evidence.requests else NOTHING_SEEN
    for place, finding in enumerate(findings, start=1):
        yield ""
        yield from _wrapped(f"{place}. {finding.severity.upper():<6}", finding.title, width, 10)
        for topic, text in _topics(finding):
            yield from _wrapped(f"   {topic:<{_TOPIC_CELLS - 3}}", text, width, _TOPIC_CELLS)


def document_of(
    name: str,
    evidence: Evidence,
    findings: Sequence[Finding],
    threshold: Severity | None,
    missing: Missing = WHOLE,
) -> dict[str, object]:
    """Return everything as JSON-able values."""
    return {
        "report": "why",
        "version": VERSION,
        "source": clean(name),
        "requests": evidence.requests,
        "prompt_tokens": evidence.prompt_tokens,
        "hit_tokens": evidence.hit_tokens,
        "hit_rate": evidence.hit_rate,
        "span_ns": evidence.span_ns,
        "computed_tokens": {account: sums.tokens for account, sums in evidence.lost.items()},
        "unserved": plain(evidence.unserved),
        "losses": plain(evidence.losses),
        "missing": missing.document(),
        "threshold": threshold,
        "reached": threshold is not None and any(at_least(finding, threshold) for finding in findings),
        "findings": [finding_document(finding) for finding in findings],
    }


def page_document(page: WhyPage) -> dict[str, object]:
    """Return the findings on a screen as JSON-able values, with the requests to look at for each."""
    evidence = page.evidence
    told = {} if evidence is None else document_of("", evidence, page.findings, None)
    return {
        **{name: value for name, value in told.items() if name not in ("report", "source", "threshold", "reached")},
        "from_ns": max(0, page.starts_at - page.run_at),
        "trouble": page.trouble,
        "worst_requests": {name: dict(worst) for name, worst in page.worst.items()},
    }


def finding_document(finding: Finding) -> dict[str, object]:
    """Return one finding as JSON-able values."""
    values = plain(finding)
    assert isinstance(values, dict)
    gain = finding.gain
    more = None if gain is None else {**values["gain"], "points": round(gain.points, 2), "helps": gain.helps}
    cost = {**values["cost"], "ms_are": _kind(finding)}
    return {**values, "gain": more, "claims": dict(finding.claims), "cost": cost}


def _kind(finding: Finding) -> str:
    return "measured" if finding.cost.is_measured else DERIVED


def _headline(name: str, evidence: Evidence) -> str:
    refused = evidence.unserved.refused
    return (
        f"{clean(name)}: {grouped(evidence.requests)} requests, {grouped(evidence.prompt_tokens)} prompt tokens, "
        f"{share(evidence.hit_rate)} hit, in {duration(evidence.span_ns)}"
        + (f"; {grouped(refused)} refused" if refused else "")
    )


def _topics(finding: Finding) -> Iterator[tuple[str, str]]:
    yield "name", finding.name
    yield "costs", cost_text(finding)
    if but := but_text(finding):
        yield "but", but
    if finding.since_ns is not None:
        yield "since", f"{duration(finding.since_ns)} after the start"
    for place, amount in enumerate(finding.evidence):
        yield "" if place else "evidence", amount_text(amount)
    yield "sure?", f"{finding.confidence.level}: {finding.confidence.reason}"
    if finding.change is not None:
        is_vain = finding.gain is not None and not finding.gain.helps
        yield "tried" if is_vain else "change", _change(finding.change)
    if finding.gain is not None:
        yield "gain", gain_text(finding.gain)
    elif finding.gain_refused:
        yield "gain", f"not measured: {finding.gain_refused}"
    if rated := rated_text(finding):
        yield "rated", rated
    for place, number in enumerate(finding.questions):
        yield "" if place else "answers", QUESTIONS[number]


def cost_text(finding: Finding) -> str:
    """Return what a finding costs in words."""
    cost = finding.cost
    if not cost.tokens and finding.explained_by is not None:
        return f"nothing beyond what {finding.explained_by} costs"
    ms = "" if cost.ms is None else f"{duration(cost.ms * 1e6)} ({_kind(finding)})"
    if cost.unserved:
        lost = f"requests without an answer: {grouped(cost.unserved)}, {share(cost.share)} of all"
    elif cost.tokens:
        lost = f"{grouped(cost.tokens)} tokens, {share(cost.share)} of all prompt tokens"
    else:
        return ms or "nothing that can be counted in tokens"
    return f"{lost}, {ms}" if ms else lost


def but_text(finding: Finding) -> str:
    """Return in words who costs the rest of what a finding is about; "" where it costs all of it, or nothing."""
    if finding.explained_by is None or not finding.cost.tokens:
        return ""
    return f"the rest of it is due to {finding.explained_by}"


def rated_text(finding: Finding) -> str:
    """Return in words why a finding is less severe than its cost; "" where it is not."""
    by_cost = finding.severity_by_cost
    return "" if by_cost is None else f"{finding.severity}, not {by_cost}: its change was tried and does not help"


def amount_text(amount: Amount) -> str:
    """Return one piece of evidence in words."""
    value = amount.value
    if amount.unit == "request":
        return f"{amount.label}: request #{value}"
    shown = clean(value)[:60] if isinstance(value, str) else f"{value:,}"
    return f"{amount.label}: {shown} {amount.unit}"


def _change(change: Change) -> str:
    flag = f"{change.flag} {change.value}".strip()
    others = "; ".join(f"{engine}: {other}" for engine, other in change.elsewhere)
    return (f"{flag}: " if flag else "") + change.advice + (f" ({others})" if others else "")


def gain_text(gain: Gain) -> str:
    """Return what a change gave in words."""
    verdict = "" if gain.helps else ": it does not help"
    points = f"{gain.points:+.1f} points of hit rate, {share(gain.before)} to {share(gain.after)} ({gain.by})"
    return points + verdict


def _wrapped(head: str, text: str, width: int, indent: int) -> Iterator[str]:
    """Yield a text in lines, the first one behind its head."""
    rest = " " * indent
    yield from wrap(
        clean(text), width, initial_indent=head.ljust(indent), subsequent_indent=rest, break_on_hyphens=False
    ) or [head]
