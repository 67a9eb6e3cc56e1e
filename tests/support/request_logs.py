"""A log of requests made of records, with a request of every kind in it."""

from __future__ import annotations

from collections.abc import Iterator

from cache_core.events import (
    OUT_OF_SLOTS,
    TOO_LONG,
    FreeWindow,
    Insert,
    Label,
    Match,
    NodeLabelled,
    NodeMarked,
    NodeRemoved,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    Tombstoned,
)
from probes.builtin.request_log import RequestLogProbe, RequestLogSample
from probes.builtin.windows import WindowsSample
from tests.support.observing import S, probe_of
from tests.support.records import added, record

MS = 1_000_000
SYSTEM, QUESTION, DOCUMENT = range(1, 4)


def request_log(now: int, rounds: int = 6) -> RequestLogSample:
    """Return the sample of a log whose newest request came a moment before `now`."""
    return probe_of(RequestLogProbe, records(now, rounds)).sample(now)


def records(now: int, rounds: int) -> Iterator[Record]:
    """Yield the lives of some requests, `rounds` times eight and a few that go on."""
    for label, text in ((SYSTEM, "system prompt 2"), (QUESTION, "question 17"), (DOCUMENT, "document 5 日本")):
        yield record(Label, id=label, text=text)
    yield added(1, 0, 400, content_key=400, at=now - 50 * S)
    yield record(NodeLabelled, node=1, start=0, label=SYSTEM)
    for round_ in range(rounds):
        at = now - (rounds - round_) * 7 * S
        yield from _round(round_, at)
    at, number = now - 2 * S, 100 * rounds
    yield from _matched(number, at, 900, hit=400)
    yield record(RequestPrefilled, at=at + 9 * MS, request=number, prompt_tokens=900, new_tokens=256)
    yield record(RequestQueued, at=at + 10 * MS, request=number + 1, prompt_tokens=333)
    yield record(RequestQueued, at=at + 11 * MS, request=number + 2, prompt_tokens=90_000)
    yield record(RequestRefused, at=at + 12 * MS, request=number + 2, prompt_tokens=90_000, reason=TOO_LONG)


def _round(round_: int, at: int) -> Iterator[Record]:
    """Yield a hit, new text twice the same, a gap of a lost window, one that never was, and a retraction."""
    number, node = 100 * round_, 1_000 * (round_ + 1)
    yield from _served(number, at, prompt=460, hit=400, node=node, keys=(node + 1,))
    yield record(NodeRemoved, at=at + 300 * MS, node=node)
    yield from _served(number + 1, at + S, prompt=464, hit=400, node=node + 1, keys=(node + 1,))
    yield record(Tombstoned, at=at + 1_200 * MS, node=1, component=1)
    yield from _served(number + 2, at + 2 * S, prompt=420, hit=96, gap=304, node=node + 2)
    yield from _served(number + 3, at + 3 * S, prompt=1_300, hit=0, node=node + 3, keys=(node + 3,))
    yield from _served(number + 4, at + 4 * S, prompt=500, hit=0, node=node + 4, keys=(), present=320)
    yield from _matched(number + 5, at + 5 * S, 450, hit=400)
    yield record(
        RequestRetracted, at=at + 5_100 * MS, request=number + 5, prompt_tokens=450, device_hit_tokens=400,
        recomputed_tokens=50, reason=OUT_OF_SLOTS if round_ % 2 else 2,
    )  # fmt: skip


def _matched(number: int, at: int, prompt: int, hit: int, gap: int = 0) -> Iterator[Record]:
    found = {"device_hit_tokens": hit}
    yield record(RequestQueued, at=at, request=number, prompt_tokens=prompt)
    yield record(
        Match, at=at + 3 * MS, request=number, queried_tokens=prompt - 1, full_hit_tokens=hit + gap,
        branching_point=hit + gap if gap else -1, node=1 if hit else 0, full_node=1 if hit or gap else 0, **found,
    )  # fmt: skip
    new = prompt - hit - gap
    yield record(
        RequestAdmitted, at=at + 4 * MS, request=number, prompt_tokens=prompt, recomputed_tokens=gap, new_tokens=new,
        **found,
    )  # fmt: skip


def _served(
    number: int,
    at: int,
    *,
    prompt: int,
    hit: int,
    node: int,
    gap: int = 0,
    keys: tuple[int, ...] = (),
    present: int = 0,
) -> Iterator[Record]:
    yield from _matched(number, at, prompt, hit, gap)
    yield record(
        RequestPrefilled, at=at + 5 * MS, request=number, prompt_tokens=prompt, device_hit_tokens=hit,
        new_tokens=prompt - hit,
    )  # fmt: skip
    yield record(
        RequestFirstToken, at=at + (5 + prompt // 30) * MS, request=number, prompt_tokens=prompt, output_tokens=1
    )
    yield record(FreeWindow, at=at + 60 * MS, request=number, start=0, end=prompt - 128)
    start = present or hit + gap
    yield added(node, 1 if hit + gap else 0, prompt - start, start=start, content_key=7 * node, at=at + 61 * MS)
    if keys:
        yield record(NodeMarked, node=node, first=start - start % 32 + 32, step=32, content_keys=keys)
    yield record(NodeLabelled, node=node, start=start, label=QUESTION if hit else DOCUMENT)
    yield record(
        Insert, at=at + 62 * MS, request=number, key_tokens=prompt, present_tokens=start, new_tokens=prompt - start,
        branch_inserted=1 if gap else -1, node=node,
    )  # fmt: skip
    yield record(
        RequestFinished,
        at=at + 200 * MS,
        request=number,
        prompt_tokens=prompt,
        device_hit_tokens=hit,
        output_tokens=24,
    )


def windows(recomputed: tuple[float | None, ...], evicted: tuple[float | None, ...]) -> WindowsSample:
    """Return a sample of windows with these histories."""
    return WindowsSample("swa", 128, 141, 35_188, 212_347, 87_760, 1_632, 42_079, recomputed, evicted)
