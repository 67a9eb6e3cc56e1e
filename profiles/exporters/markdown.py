"""A summary in Markdown, to paste into an issue: what was recorded, operations, requests, totals, the top nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nlargest

from probes.errors import RecordingError
from profiles.amounts import duration, exact, share
from profiles.dates import iso_date, origin_of
from profiles.exporter import ExportOptions, TextExporter
from profiles.forest import WEIGHTS, Forest
from profiles.labels import clean
from profiles.profile import Profile
from profiles.summary import Summary, summarise

TOP_NODES = 20
_UNKNOWN = "-"
_SPECIAL = str.maketrans({character: f"\\{character}" for character in "\\`*_[]<>|~&"})


class Markdown(TextExporter):
    """The summary; that of one of the tables alone when `options.table` names it."""

    suffix = ".md"
    shows = "tables"

    def pieces(self, profile: Profile, options: ExportOptions) -> Iterator[str]:
        """Yield the sections."""
        yield f"# {safe(clean(profile.title, unnamed='A prefix cache'))}\n"
        if options.table != "nodes":
            yield from _of_events(profile, is_asked=options.table is not None)
        if options.table != "events":
            yield from _of_nodes(profile.forest, options.weight)


def safe(text: str) -> str:
    """Return a text that Markdown leaves as it is, in a table as well."""
    return text.translate(_SPECIAL)


def _of_events(profile: Profile, is_asked: bool) -> Iterator[str]:
    """Yield what the records amount to; nothing for a profile without any, unless that was asked for."""
    try:
        records = profile.records()
    except RecordingError:
        if is_asked:
            raise
        return
    summary = summarise(records, profile.components)
    yield from _head(profile, summary)
    yield from _table(
        "Operations",
        ("operation", "calls", "median", "p99", "in all", "not timed"),
        (_operation(summary, name) for name in summary.times),
    )
    found = summary.found
    served = found.device_hit_tokens + found.loaded_tokens
    computed = {"computed, new or known": found.prompt_tokens - served} if found.untold else {
        "known, computed again": found.known_tokens - served,
        "new": found.prompt_tokens - found.known_tokens,
    }  # fmt: skip
    classes = {
        "served from the device": found.device_hit_tokens,
        "loaded from the host": found.loaded_tokens,
        **computed,
    }
    rows = ((name, f"{n:,}", _share(n, found.prompt_tokens)) for name, n in classes.items())
    yield from _table("Prompt tokens", ("tokens", "number", "share"), rows)
    evicted = ((safe(name), f"{tokens:,}") for name, tokens in summary.evicted_tokens.items())
    yield from _table("Evicted tokens", ("component", "number"), evicted)


def _head(profile: Profile, summary: Summary) -> Iterator[str]:
    origin = origin_of(profile.config)
    began = iso_date(origin.date_ns(summary.first_ns), 0) if origin is not None and summary.first_ns else ""
    seconds = (summary.last_ns - summary.first_ns) / 1e9
    yield f"\n- {summary.records:,} records in {seconds:,.1f} s{f' from {began} on' if began else ''}\n"
    yield f"- components: {safe(', '.join(profile.components)) or _UNKNOWN}\n"
    ends = ", ".join(f"{number:,} {name}" for name, number in summary.ends.items())
    yield f"- requests: {ends or 'none ended'}\n"


def _operation(summary: Summary, name: str) -> tuple[str, ...]:
    times, untimed = summary.times[name], summary.untimed[name]
    measured = times.count > 0
    return (
        name,
        f"{times.count + untimed:,}",
        _time(times.quantile(0.50)),
        _time(times.quantile(0.99)),
        _time(times.total) if measured else _UNKNOWN,
        f"{untimed:,}",
    )


def _of_nodes(forest: Forest, weight: str) -> Iterator[str]:
    wholes = {name: sum(column) for name, column in forest.weights.items()}
    weights = ((WEIGHTS[name], exact(whole, name)) for name, whole in wholes.items())
    yield from _table("Totals", ("weight", "in all"), weights)
    if weight in forest.weights:
        yield from _table(
            f"Top nodes by {WEIGHTS[weight]}",
            ("node", "from", "to", WEIGHTS[weight], "share", "where"),
            _top(forest, weight, wholes[weight]),
        )


def _top(forest: Forest, weight: str, whole: int) -> Iterator[tuple[str, ...]]:
    """Yield the nodes that weigh most themselves."""
    own = forest.weights[weight]
    for place in nlargest(TOP_NODES, range(len(own)), key=own.__getitem__):
        if own[place]:
            frame = forest.frames[place]
            lost = f"{', '.join(frame.lost)} lost"
            where = "no longer cached" if not frame.resident else lost if frame.lost else "cached"
            amount = exact(own[place], weight)
            yield safe(frame.label), f"{frame.start:,}", f"{frame.end:,}", amount, _share(own[place], whole), where


def _table(title: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield a titled table whose first column is text and whose others are numbers; nothing without rows."""
    lines = [f"| {' | '.join(row)} |\n" for row in rows]
    if lines:
        marks = " | ".join(["---", *["---:"] * (len(heads) - 1)])
        yield f"\n## {title}\n\n| {' | '.join(heads)} |\n| {marks} |\n"
        yield from lines


def _share(part: int, whole: int) -> str:
    return share(part, whole) if whole else _UNKNOWN


def _time(ns: float | None) -> str:
    """Return a duration; unknown is not 0."""
    return _UNKNOWN if ns is None else duration(ns)
