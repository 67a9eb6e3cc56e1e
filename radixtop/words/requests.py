"""What share of prompt tokens hit, and why the rest missed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probes.builtin.request_log import RequestLogSample
from probes.lives.misses import MISS_CLASSES, UNAVOIDABLE, MissClass
from radixtop.render.lines import Line, Span, first_that_fits
from radixtop.render.miss_words import name_of, text_role
from radixtop.render.units import share
from radixtop.words.outside import untold

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from radixtop.messages import Frame

_IN_SENTENCES: dict[MissClass, str] = {"evicted": "evicted before", "unloaded": "not loaded from the host"}

_HEAD_SPANS, _MISS_SPANS = 3, 3
"""Of how many spans the answer's hits are, and each kind of misses behind them."""

_SHORT_BELOW = 60


def answer(sample: RequestLogSample | None, width: int) -> Line:
    """Return what became of the prompt tokens of the last minute, in a sentence; of all, when there were none."""
    if sample is None:
        return (("hits and misses: -  this source does not tell of requests", "dim"),)
    tokens, span = (sample.last_minute, "last 60 s: ") if sample.last_minute.requests else (sample.total, "in all: ")
    if not tokens.prompt:
        return (("hits and misses: -  no request has been decided yet", "dim"),)
    is_short = width < _SHORT_BELOW
    quiet = "" if sample.last_minute.requests or is_short else "no request in the last 60 s; "
    hits = " hits" if is_short else " of prompt tokens were hits"
    told = [miss for miss in MISS_CLASSES if tokens.of(miss) * 1000 >= tokens.prompt]
    found = sorted(told, key=lambda miss: (miss in (*UNAVOIDABLE, "unknown"), -tokens.of(miss)))
    spans: list[Span] = [
        (quiet + span, "label"),
        (share(tokens.hit / tokens.prompt), "device"),
        (hits if is_short or not found else f"{hits}; misses: ", "text"),
    ]
    for place, miss in enumerate(found):
        name = name_of(miss, sample.remembers_all, sample.lacking)
        words = name if is_short else _IN_SENTENCES.get(miss, name)
        spans += [
            (", " if place or is_short else "", "text"),
            (share(tokens.of(miss) / tokens.prompt), text_role(miss)),
            (f" {words}", "text"),
        ]
    return tuple(spans)


def outside(snapshot: Snapshot) -> list[Line]:
    """Return what servers tell of hits, and that they tell of no single request."""
    from radixtop.words.engine import hits  # of servers only

    return [untold("what a request hit, missed and took"), hits(snapshot)]


def headline(frame: Frame, width: int) -> Line:
    """Return the answer of a frame; of a source that starts, that nothing came yet."""
    snapshot = frame.snapshot
    sample = snapshot.get(RequestLogSample) if snapshot is not None else None
    if sample is None and (snapshot is None or snapshot.source.state == "starting"):
        return (("hits and misses: -  nothing has come yet", "dim"),)
    if sample is None and snapshot is not None and "engine" in snapshot.samples:
        from radixtop.words.engine import hits  # of servers only

        told = hits(snapshot)
        return first_that_fits((told, told[:-1], told[:3]), width)
    long, short = answer(sample, _SHORT_BELOW), answer(sample, _SHORT_BELOW - 1)
    return first_that_fits((long, *(short[:end] for end in range(len(short), _HEAD_SPANS - 1, -_MISS_SPANS))), width)
