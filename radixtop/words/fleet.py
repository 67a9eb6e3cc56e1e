"""What is out of balance between ranks, how much of what they hold is there more than once, and who is away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from probes.plural import plural
from radixtop.render.lines import Line, Span, clean, first_that_fits
from radixtop.render.units import count, share
from radixtop.words.imbalance import unlike
from radixtop.words.same_server import same_servers

if TYPE_CHECKING:
    from probes.builtin.engine import EngineSample
    from probes.builtin.fleet import FleetRank, FleetSample
    from probes.fleet.imbalance import Imbalance
    from probes.snapshot import Snapshot
    from radixtop.fleet.names import Names
    from radixtop.messages import Frame

UNTOLD: Line = (
    ("servers and ranks: -  ", "dim"),
    ("one cache is watched; several servers: radixtop attach sglang://HOST:PORT sglang://HOST:PORT", "dim"),
)
NOTHING_YET: Line = (("servers and ranks: -  nothing has come yet", "dim"),)
_MOST_TOLD = 3
_PAIR = 2


def answer(sample: FleetSample, engine: EngineSample | None, width: int, *, tells_away: bool = True) -> list[Line]:
    """Return sentences: who is away, unless that is told above, what is out of balance, and what is there twice.

    The reasons of the first and what is known in part are left out where they would break a line.
    """
    from radixtop.fleet.names import Names

    names = Names(rank.name for rank in sample.ranks)
    away, copies = _away(sample, names) if tells_away else (), _copies(sample)
    told = (
        first_that_fits((away, away[:2]), width),
        _balance(sample, engine, names),
        first_that_fits((copies, copies[:3], copies[:2]), width),
        *_remarks(sample, names),
        *same_servers(rank.name.server for rank in sample.ranks if rank.state.is_up),
    )
    return [line for line in told if line]


def headline(frame: Frame, width: int) -> Line | None:
    """Return the first of the sentences, where there are ranks to compare or a server is away."""
    snapshot = frame.snapshot
    if snapshot is None or "fleet" not in snapshot.samples:
        return None
    sample, engine = samples_of(snapshot)
    if sample is None or len(sample.ranks) < _PAIR:
        return None
    first, *rest = answer(sample, engine, width, tells_away=tells_away(snapshot))
    whole = (*first, *(span for line in rest for span in (("; ", "text"), *line)))
    return first_that_fits((whole, first), width)


def tells_away(snapshot: Snapshot) -> bool:
    """Say whether who is away is left to be told: the title of every view tells it where its source does."""
    return "away: " not in snapshot.source.message


def samples_of(snapshot: Snapshot) -> tuple[FleetSample | None, EngineSample | None]:
    """Return what is known of ranks, and what their metrics tell."""
    from probes.builtin.engine import EngineSample
    from probes.builtin.fleet import FleetSample

    return snapshot.get(FleetSample), snapshot.get(EngineSample)


def _away(sample: FleetSample, names: Names) -> Line:
    away = [rank for rank in sample.ranks if rank.state.is_away]
    if not away:
        return ()
    told = ", ".join(clean(names.spoken(rank.name)) for rank in away[:_MOST_TOLD])
    more = f" and {len(away) - _MOST_TOLD} more" if len(away) > _MOST_TOLD else ""
    why = f": {clean(away[0].state.message)}" if len(away) == 1 and away[0].state.message else ""
    return (("away: ", "bad"), (told + more, "value"), (why, "text"))


def _balance(sample: FleetSample, engine: EngineSample | None, names: Names) -> Line:
    from probes.fleet.imbalance import imbalances

    up = [rank for rank in sample.ranks if rank.state.is_up]
    if len(up) < _PAIR:
        said = "no rank tells anything yet" if not up else "one rank is up: nothing to compare it with"
        return ((said, "dim"),)
    found = imbalances(sample, engine)
    late = sum(rank.state.badge is not None and not rank.state.is_read for rank in up)
    if not found and late:
        return ((f"what {late} of {len(up)} ranks told before is being read: not compared yet", "dim"),)
    if not found:
        known = _compared(up, engine)
        return ((f"{_all_of(len(up))} ranks are alike{known}", "good"),)
    spans: list[Span] = [("out of balance: ", "warn")]
    for place, one in enumerate(found[:_MOST_TOLD]):
        spans += [("; " if place else "", "text"), *_told(one, names, len(up))]
    more = len(found) - _MOST_TOLD
    if more > 0:
        spans.append((f"; and {plural(more, 'thing')} more", "dim"))
    return tuple(spans)


def _remarks(sample: FleetSample, names: Names) -> list[Line]:
    """Return what is with servers as a whole, once each; that of the followed one stands in the title."""
    followed = None if sample.followed is None else sample.followed.server
    servers: dict[str, list[str]] = {}
    for rank in sample.ranks:
        if rank.state.remark and rank.name.server != followed:
            its = servers.setdefault(rank.state.remark, [])
            name = names.server(rank.name.server)
            its += [name] * (name not in its)
    return [((f"{clean(', '.join(its[:_MOST_TOLD]))}: {clean(remark)}", "warn"),) for remark, its in servers.items()]


def _compared(up: Sequence[FleetRank], engine: EngineSample | None) -> str:
    """Return how far ranks that are alike could be compared, where that is not in everything."""
    if engine is None:
        return " in how much they cache; metrics are not told"
    told = {(each.server, each.rank) for each in engine.ranks if each.hits_minute is not None or each.gauges}
    known = sum(rank.name in told for rank in up)
    return "" if known == len(up) else f" in how much they cache; of their own metrics {known} of {len(up)} tell"


def _all_of(ranks: int) -> str:
    """Return `all 8`, or `both`."""
    return "both" if ranks == _PAIR else f"all {ranks}"


def _told(one: Imbalance, names: Names, ranks: int) -> list[Span]:
    said = unlike(one.what, one.value, one.others)
    others = "the other" if ranks == _PAIR else "the others"
    return [
        (clean(names.spoken(one.name)), "value"),
        (f" {said.verb} ", "text"),
        (said.value, "bad"),
        (f", {others} {said.others}", "text"),
    ]


def _copies(sample: FleetSample) -> Line:
    overlap = sample.overlap
    if overlap is None or len(overlap.names) < _PAIR:
        return ()
    if not overlap.held:
        return (("nothing is cached yet", "dim"),)
    doubtful = sum(
        rank.state.badge is not None and rank.state.badge.word in ("partial", "unsure") for rank in sample.ranks
    )
    if not overlap.duplicates:
        spans: list[Span] = [("no token is cached on more than one rank", "good")]
    else:
        spans = [
            (share(overlap.duplicates / overlap.held), "value"),
            (" of the cached tokens are copies of what another rank has: ", "text"),
            (f"{count(overlap.duplicates)} of {count(overlap.held)}", "label"),
        ]
    if doubtful:
        spans.append((f"; {plural(doubtful, 'rank')} {'is' if doubtful == 1 else 'are'} known in part", "dim"))
    return tuple(spans)
