"""Findings as rows, and everything about one of them, as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from profiles.finding import FINDINGS, SEVERITIES, Change, Finding
from radixtop.render.bars import gauge
from radixtop.render.flow import hanging
from radixtop.render.lines import Line, Role, Span, clean, fit, left, width_of
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import UNKNOWN, clock, count, duration, share
from radixtop.why.page import WhyPage
from radixtop.why.telling import amount_text, but_text, cost_text
from radixtop.why.trial import Trial
from radixtop.words.trial import gain_span
from radixtop.words.why import SHOWN_IN, SIGNS

Sort = Literal["cost", "severity", "since"]
SORTS: tuple[Sort, ...] = ("cost", "severity", "since")
"""As they are ranked, causes before symptoms and by cost; the severest first; by when they began."""

_COLUMNS = (
    Column("severity", 8, at_left=True),
    Column("finding", 0, at_left=True),
    Column("of prompts", 10, at_left=True, drop_below=60),
    Column("tokens", 6, "value", drop_below=44),
    Column("ms", 7, "dim", drop_below=100),
    Column("since", 7, "dim", drop_below=74),
    Column("gain", 5, drop_below=90),
)
_BAR_AT = 2
_BARS = ((150, 24), (112, 10), (100, 8))
"""How wide a bar is from which width on."""
_LEAST_BAR, _SHARE = 4, 5
_TOPIC_CELLS = 10

_ORDERS: dict[Sort, Callable[[Finding], tuple[float, ...]]] = {
    "cost": lambda finding: (),
    "severity": lambda finding: (-SEVERITIES.index(finding.severity),),
    "since": lambda finding: (float("inf") if finding.since_ns is None else finding.since_ns,),
}


def chosen(findings: Sequence[Finding], text: str, sort: Sort) -> tuple[Finding, ...]:
    """Return the findings that have a text in their names, titles or changes, in an order."""
    wanted = text.casefold()
    return tuple(sorted((each for each in findings if wanted in _words(each)), key=_ORDERS[sort]))


def _words(finding: Finding) -> str:
    change = finding.change
    flags = "" if change is None else f"{change.flag} {change.advice} {change.elsewhere}"
    return f"{finding.name} {finding.title} {finding.severity} {flags}".casefold()


def rows_head(width: int) -> Line:
    """Return the titles of the columns."""
    return head(_columns(width))


def _columns(width: int) -> list[tuple[int, Column]]:
    """Return the columns of a width; the bar is longer where there is room."""
    bar = next((bar for least, bar in _BARS if width >= least), _LEAST_BAR)
    columns = list(_COLUMNS)
    columns[_BAR_AT] = replace(columns[_BAR_AT], width=bar + 1 + _SHARE)
    return arrange(columns, width)


def finding_row(page: WhyPage, finding: Finding, width: int) -> Line:
    """Return one finding as a row; its time is a place in the run."""
    cost, gain, (sign, role) = finding.cost, finding.gain, SIGNS[finding.severity]
    columns = _columns(width)
    cells: list[str | Span] = [
        (f"{sign} {finding.severity}", role),
        clean(finding.title),
        "",
        count(cost.tokens) if cost.tokens else UNKNOWN,
        UNKNOWN if cost.ms is None else f"{'' if cost.is_measured else '~'}{duration(cost.ms * 1e6)}",
        since(page, finding),
        UNKNOWN if gain is None else (f"{gain.points:+.1f}", "good" if gain.helps else "warn"),
    ]
    return _with_bar(row(columns, cells), columns, finding, role)


def _with_bar(line: Line, columns: Sequence[tuple[int, Column]], finding: Finding, role: Role) -> Line:
    """Return a row with the bar of its share, of all prompt tokens or requests, in the cell that is left for it."""
    place = next((at for at, (index, _) in enumerate(columns) if index == _BAR_AT), None)
    if place is None:
        return line
    cost, cells = finding.cost, columns[place][1].width - _SHARE - 1
    if cost.tokens or cost.unserved:
        bar: Line = (*gauge(cost.share, cells, role), (" " + share(cost.share).rjust(_SHARE), "value"))
    else:
        bar = ((" " * cells + " " + UNKNOWN.rjust(_SHARE), "dim"),)
    spans = list(line)
    spans[2 * place : 2 * place + 1] = bar
    return tuple(spans)


def since(page: WhyPage, finding: Finding) -> str:
    """Return since when something is wrong, as a place in the run."""
    return UNKNOWN if finding.since_ns is None else clock(max(0, page.starts_at - page.run_at) + finding.since_ns)


def nothing_in(page: WhyPage | None, text: str) -> Line:
    """Return the line that stands where there are no rows."""
    if page is not None and page.findings and text:
        return ((f"no finding has {clean(text)!r} in it; c drops the filter", "dim"),)
    return (("nothing to show" if page is not None and page.evidence is not None else UNKNOWN, "dim"),)


def quiet_lines(page: WhyPage, width: int) -> list[Line]:
    """Return what was looked for where nothing was found, and what became of the tokens that were not hit."""
    evidence = page.evidence
    if evidence is None or not evidence.prompt_tokens or page.findings:
        return []
    kinds = ", ".join(name.replace("_", " ") for name in FINDINGS.names)
    lines = hanging((("looked for  ", "label"),), (kinds, "dim"), width)
    hits = f"{share(evidence.hit_rate)} of prompt tokens"
    lines += hanging((("hit         ", "label"),), (hits, "device"), width)
    for account, sums in sorted(evidence.lost.items(), key=lambda item: -item[1].tokens):
        text = (
            f"{share(evidence.share_of(sums.tokens))} {account.replace('_', ' ')}, of {count(sums.requests)} requests"
        )
        lines += hanging((("computed    ", "label"),), (text, "text"), width)
    return lines


def detail_lines(page: WhyPage, finding: Finding, width: int, trial: Trial | None = None) -> list[Line]:
    """Return everything about a finding: what, how much, since when, by what evidence, what to do, where to look.

    `trial` is what is known of what its change gives.
    """
    sign, role = SIGNS[finding.severity]
    lines = hanging(((f"{sign} ", role),), (clean(finding.title), "value"), width)
    for topic, (text, text_role) in _topics(page, finding, trial):
        start: Line = ((left(topic, _TOPIC_CELLS), "label"),)
        lines += hanging(start, (clean(text), text_role), width)
    return [line if width_of(line) <= width else fit(line, width) for line in lines]


def _topics(page: WhyPage, finding: Finding, trial: Trial | None) -> Iterator[tuple[str, Span]]:
    """Yield each topic with its text; what to do comes before the evidence, which may be long."""
    yield "costs", (cost_text(finding), "value")
    if but := but_text(finding):
        yield "but", (but, "text")
    if finding.since_ns is not None and page.evidence is not None:
        ago = max(0, page.evidence.span_ns - finding.since_ns)
        yield "since", (f"{since(page, finding)}, {duration(ago)} before this moment", "text")
    if finding.change is not None:
        is_vain = finding.gain is not None and not finding.gain.helps
        yield from _change(finding.change, "tried" if is_vain else "change")
        yield "gain", gain_span(page, finding, trial)
    yield "sure?", (f"{finding.confidence.level}: {finding.confidence.reason}", "text")
    yield from _look_at(page, finding)
    if finding.evidence:
        yield "evidence", ("; ".join(amount_text(amount) for amount in finding.evidence), "text")


def _change(change: Change, topic: str) -> Iterator[tuple[str, Span]]:
    """Yield what to change: our flag, then those of other engines."""
    flag = f"{change.flag} {change.value}".strip()
    yield topic, (f"{flag}: {change.advice}" if flag else change.advice, "accent")
    for engine, other in change.elsewhere:
        yield f"  {engine}", (other, "accent")


def _look_at(page: WhyPage, finding: Finding) -> Iterator[tuple[str, Span]]:
    """Yield which requests and which view to look at."""
    worst = page.worst.get(finding.name, ())
    if worst:
        named = (f"#{request} ({count(tokens)} tokens)" if tokens else f"#{request}" for request, tokens in worst)
        yield "requests", (f"{', '.join(named)}: enter opens the first", "text")
    place = SHOWN_IN.get(finding.name)
    if place is not None:
        yield "see", (f"the view {place}: o goes there", "text")
