"""The report of a run as lines for a person; unknown figures are shown as "-"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from radixtop.render.units import UNKNOWN, count, duration, share
from radixtop.words.imbalance import unlike


def lines(report: Mapping[str, object]) -> Iterator[str]:
    """Yield one line per topic of a report made by `radixtop.reports.report.document`.

    Servers tell nothing of single requests: what is only known from those is left out.
    """
    fleet = _part(report, "fleet")
    if not fleet:
        yield from _served(report)
    for name, pool in _part(report, "pools").items():
        states = cast(Mapping[str, object], pool)
        yield f"pool {name:<6} " + ", ".join(f"{_count(states, state)} {state}" for state in states)
    yield _nodes(_part(report, "nodes"), bool(fleet))
    published = _part(report, "kv_events")
    if published:
        yield f"KV events   {_count(published, 'published_batches')} batches at {published['endpoint']}, " + (
            f"{_count(published, 'dropped_batches')} dropped"
        )
    if fleet:
        yield from _fleet(fleet)
    else:
        overhead = _part(report, "overhead")
        told = overhead.get("detail", UNKNOWN)
        yield f"probe cost  {_share(overhead.get('mean_ratio'))} of the cache's thread, detail {told}"
        yield f"integrity   {report.get('integrity') or UNKNOWN}"
    yield f"records     {_count(report, 'records')}, {_count(report, 'dropped')} dropped"


def _nodes(nodes: Mapping[str, object], is_of_servers: bool) -> str:
    """Return the line of nodes; the lines of ranks say how far they are known, and so why they are not told."""
    if is_of_servers and not nodes:
        return "nodes       not known whole: see the rank"
    away = "" if nodes.get("host_only") is None else f" ({_count(nodes, 'host_only')} on the host alone)"
    return f"nodes       {_count(nodes, 'total')}{away}, {_count(nodes, 'leaves')} leaves, " + (
        f"{_count(nodes, 'tombstones')} tombstones, depth {_count(nodes, 'depth')}"
    )


def _served(report: Mapping[str, object]) -> Iterator[str]:
    """Yield what is known from requests and from what the cache did for each."""
    totals, hits = _part(report, "totals"), _part(report, "hits")
    yield f"requests    {_count(totals, 'finished')} finished, {_count(totals, 'retracted')} retracted, " + (
        f"{_count(totals, 'refused')} refused in {_count(totals, 'duration_s')} s"
    )
    yield f"hit rate    {_share(report.get('hit_rate'))} of {_count(totals, 'queried_tokens')} tokens queried"
    yield f"full hit    {_share(report.get('full_hit_rate'))}, a gap of {_count(hits, 'gap_tokens')} tokens"
    host = _part(hits, "host")
    if host:
        yield f"host hits   {_share(host.get('share'))} of all queried, {_count(host, 'loaded_tokens')} tokens, " + (
            f"{_count(host, 'unloaded_tokens')} more were not loaded"
        )
    branching = _part(report, "branching")
    yield "branching   " + ", ".join(f"{_count(branching, name)} {name}" for name in ("opened", "filled", "lost"))
    evictions = _part(report, "evictions")
    yield f"evictions   {_count(evictions, 'calls')} calls, {_count(evictions, 'victims')} victims, " + (
        f"{_time(_part(evictions, 'cost_us'), 'mean', 1e3)} a call"
    )
    ttft = _part(report, "ttft_ms")
    yield "TTFT        " + ", ".join(f"{name} {_time(ttft, name, 1e6)}" for name in ("mean", "p50", "p99"))
    schedule = _part(report, "schedule")
    yield f"schedule    {_part(report, 'config').get('schedule') or UNKNOWN}, " + ", ".join(
        f"{_count(schedule, name)} {name}" for name in ("passes", "deferrals", "fallbacks")
    )


def _fleet(fleet: Mapping[str, object]) -> Iterator[str]:
    """Yield a line for each rank, one for each that differs from the others, and one for what they share."""
    ranks = cast(Sequence[Mapping[str, object]], fleet.get("ranks") or ())
    others = "the other" if len(ranks) == 2 else "the others"
    for rank in ranks:
        yield f"rank        {_named(rank)}: {rank['state']}, {rank['known'] or 'no events'}, " + (
            f"{_count(rank, 'cached_tokens')} tokens cached, hit rate {_share(rank['hit_rate_last_minute'])}, "
            f"pool {_share(rank['pool_usage'])} in use, {_number(rank['running'])} running, "
            f"{_number(rank['waiting'])} waiting"
        )
    for one in cast(Sequence[Mapping[str, object]], fleet.get("imbalances") or ()):
        said = unlike(*(cast(Any, one[part]) for part in ("what", "value", "others")))
        yield f"unlike      {_named(one)} {said.verb} {said.value}, {others} {said.others}"
    overlap = _part(fleet, "overlap")
    if overlap:
        yield f"copies      {_count(overlap, 'duplicate_tokens')} of {_count(overlap, 'held_tokens')} cached tokens"


def _named(rank: Mapping[str, object]) -> str:
    return f"{rank['server']}" if rank["rank"] is None else f"{rank['server']} rank {rank['rank']}"


def _part(report: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return a part of the report; one that is not known has no figures."""
    return cast(Mapping[str, object], report.get(name) or {})


def _count(part: Mapping[str, object], name: str) -> str:
    value = part.get(name)
    return f"{value:,}" if isinstance(value, int | float) else UNKNOWN


def _number(value: object) -> str:
    return count(value) if isinstance(value, int | float) else UNKNOWN


def _time(part: Mapping[str, object], name: str, unit_ns: float) -> str:
    value = part.get(name)
    return duration(value * unit_ns) if isinstance(value, int | float) else UNKNOWN


def _share(value: object) -> str:
    return share(value) if isinstance(value, float) else UNKNOWN
