"""What an insert decides about the prompt that it writes: why tokens were missed that the tree did not know.

covered     present         until          agreed
|--in flight--|---evicted-----|--page rounding-|---diverged or first seen---|
                              N = where the prompt left what was stored
"""

from __future__ import annotations

from cache_core.events import Insert
from probes.lives.leaving import Leaving
from probes.lives.pieces import Span, spans_of
from probes.lives.request_life import Life
from probes.lives.seen import Known, SeenContent
from probes.mirror import Mirror


def decide(life: Life, record: Insert, news: list[Known], seen: SeenContent, mirror: Mirror) -> None:
    """Decide the tokens of a prompt that an insert wrote: from what was covered up to its end.

    `news` is what was just taken of what was seen.
    """
    until, covered = min(record.key_tokens, life.matchable), life.covered
    if until <= covered:
        return
    columns = mirror.columns
    spans = spans_of(columns, columns.pages.slot_of(record.node), covered, until)
    present = min(record.present_tokens, until)
    if present > covered:
        life.lose("in_flight", covered, present, spans)
        life.new_as = life.parted_at = None  # somebody's path goes on here
        covered = present
    goes_on = seen.goes_on
    for known in news:
        if known.until > known.start:
            goes_on = known.goes_on
        start, end = max(known.start, covered), min(known.end, until)
        if start < end:
            if life.parted_at is None and known.until < known.end:
                life.parted_at = max(known.until, known.start + known.agreed)
                life.goes_on = goes_on
            _decide_node(life, known, start, end, spans)
            covered = end
    life.covered = max(covered, until)
    life.is_settled = False


def _decide_node(life: Life, known: Known, at: int, end: int, spans: list[Span]) -> None:
    """Decide tokens of a new node: those that were there before, or elsewhere, and then the new ones."""
    if life.new_as is None:
        if known.until > at or known.other_until > at or known.agreed:
            at = _decide_known(life, known, at, end, spans)
        if at >= end or not known.is_told:
            return
        life.new_as = "diverged" if life.parted_at and life.goes_on else "first_seen"
    life.lose(life.new_as, at, end, spans)


def _decide_known(life: Life, known: Known, at: int, end: int, spans: list[Span]) -> int:
    """Decide the tokens of a new node that were there before in any way; return where they end."""
    page = life.rounding.page_tokens
    whole = min(end, known.until - known.until % page)
    if whole > at:
        life.lose("evicted", at, whole, spans, known.left)
        at = whole
    agreed = min(end, max(known.until, known.start + known.agreed if at == known.start else 0))
    if agreed > at:
        life.lose(life.rounded(at), at, agreed, spans)
        at = agreed
    whole = min(end, known.other_until - known.other_until % page)
    if whole > at:
        life.lose("other_namespace", at, whole, spans, Leaving(-1, -1, known.other))
        at = whole
    return at
