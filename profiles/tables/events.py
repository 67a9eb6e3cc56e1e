"""The events of a run: a row per operation, step in the life of a request, and change of a pool, in their order.

One table for all kinds: the columns are the fields of all records, and what a record has no field for is None in its
row. So are a duration that nobody measured, a request or a branching point that there was none of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Literal, cast

from cache_core import events as ev
from cache_core.events import Record
from probes.content_hash import content_hash
from probes.mirroring.names import Names
from probes.snapshot import component_name
from profiles.dates import Origin, origin_of
from profiles.labels import clean
from profiles.profile import Profile
from profiles.table import Cell, Column, Table

_KEPT_NAMES = 1024
"""How many names of namespaces are kept."""

KINDS: tuple[type[Record], ...] = (
    ev.Match, ev.Insert, ev.Evict, ev.FreeWindow, ev.NodeRemoved, ev.Tombstoned, ev.Recovered, ev.CacheReset,
    ev.RequestQueued, ev.RequestAdmitted, ev.RequestPrefilled, ev.RequestFirstToken, ev.RequestFinished,
    ev.RequestRetracted, ev.RequestRefused, ev.EngineStep, ev.SchedulePass, ev.Pool, ev.Transfers, ev.Timing,
    ev.ProbeCost, ev.EvictionCause,
)  # fmt: skip
"""The records that have a row. Others state the tree piece by piece, or name things."""

_FIRST = (Column("event", "text"), Column("at_ns", "integer"), Column("date", "date"), Column("content", "text"))
_HIDDEN = ("at", "node", "full_node", "freed_tokens")
"""Fields without a column of their name: nodes go by their content, their ids mean nothing outside of a process."""

_SAID: dict[type[Record], tuple[str, ...]] = {
    ev.RequestQueued: ("request", "prompt_tokens"),
    ev.RequestFirstToken: ("request", "prompt_tokens", "output_tokens"),
    ev.RequestRefused: ("request", "prompt_tokens", "reason"),
}
"""All that these records say: what they have in their other fields is not known."""

_OPERATIONS = {ev.MATCH: "match", ev.INSERT: "insert", ev.EVICT: "evict", ev.LOCK: "lock", ev.UNLOCK: "unlock"}
_PHASES = {ev.WHOLE: "whole", ev.SPLIT: "split"}


def events(profile: Profile) -> Table:
    """Return a row per record of the KINDS.

    `content` is that of the node that an operation ended at, as in the table of nodes.
    """
    return Table((*_FIRST, *_columns(profile.components)), _rows(profile))


def event_name(kind: type[Record]) -> str:
    """Return what a kind of record is called in tables: "request_admitted"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


def _fields() -> Iterator[str]:
    """Yield the fields that have a column, each once."""
    yield from dict.fromkeys(name for kind in KINDS for name in kind._fields if name not in _HIDDEN)


def _columns(components: Sequence[str]) -> Iterator[Column]:
    for name in _fields():
        conversion = CONVERSIONS.get(name)
        yield Column(name, "integer" if conversion is None else conversion[0])
    for component in components:
        yield Column(f"freed_{component}_tokens", "integer")


def _rows(profile: Profile) -> Iterator[Sequence[Cell]]:
    makers = {kind: _Maker(kind, len(profile.components)) for kind in KINDS}
    origin = origin_of(profile.config)
    known = Known(profile.components)
    for record in profile.records():
        maker = makers.get(type(record))
        if maker is not None:
            at = getattr(record, "at", 0)
            date = None if origin is None else _date(origin, at)
            yield [maker.name, at, date, known.content(record), *maker.cells(record, known)]
        known.apply(record)


def _date(origin: Origin, at: int) -> int | None:
    """Return the date of a time, or None for one that no 64-bit clock shows."""
    date = origin.date_ns(at)
    return date if abs(date) < 1 << 63 else None


class Known:
    """What numbers in records stand for, as far as the stream has said so: contents of nodes, names."""

    def __init__(self, components: Sequence[str]) -> None:
        self._components = components
        self._contents: dict[int, str] = {}
        self._spaces = Names(_KEPT_NAMES)

    def apply(self, record: Record) -> None:
        """Take in what a record says of nodes and names."""
        match record:
            case ev.NodeAdded():
                self._contents[record.node] = content_hash(record.content_key)
            case ev.NodeSplit():
                self._contents[record.upper] = content_hash(record.content_key)
            case ev.NodeRemoved():
                self._contents.pop(record.node, None)
            case ev.CacheReset():
                self._contents.clear()
            case ev.Namespace():
                self._spaces.tell(record.id, record.text, tuple)

    def content(self, record: Record) -> str | None:
        """Return the content of the node that a record is about."""
        return self._contents.get(getattr(record, "node", -1))

    def namespace(self, number: int) -> str | None:
        """Return the name of a namespace; the plain one has none."""
        name = self._spaces.get(number)
        return clean(name) if name else None

    def component(self, number: int) -> str:
        """Return the name of a component."""
        return component_name(self._components, number)


Conversion = tuple[Literal["integer", "text", "truth"], Callable[[int, Known], Cell]]


def _unless_negative(value: int, known: Known) -> Cell:
    return value if value >= 0 else None


CONVERSIONS: dict[str, Conversion] = {
    "duration_ns": ("integer", lambda value, known: value if value > 0 else None),
    "request": ("integer", _unless_negative),
    "branching_point": ("integer", _unless_negative),
    "limit": ("integer", _unless_negative),
    "oldest_ns": ("integer", _unless_negative),
    "branch_inserted": ("truth", lambda value, known: bool(value) if value >= 0 else None),
    "fell_back": ("truth", lambda value, known: bool(value)),
    "namespace": ("text", lambda value, known: known.namespace(value)),
    "component": ("text", lambda value, known: known.component(value)),
    "reason": ("text", lambda value, known: ev.REASONS.get(value, f"reason {value}") or None),
    "operation": ("text", lambda value, known: _OPERATIONS.get(value, f"operation {value}")),
    "phase": ("text", lambda value, known: _PHASES.get(value, f"phase {value}")),
}
"""Fields that are no numbers, or whose number may stand for nothing: their kind, and what becomes of them."""


class _Maker:
    """Makes the cells of one kind of record, all columns but the first ones."""

    def __init__(self, kind: type[Record], components: int) -> None:
        self.name = event_name(kind)
        places = {name: place for place, name in enumerate(_fields())}
        self._width = len(places) + components
        self._freed_at = len(places)
        self._plain: list[tuple[int, int]] = []
        self._converted: list[tuple[int, int, Callable[[int, Known], Cell]]] = []
        said = _SAID.get(kind, kind._fields)
        for field, name in enumerate(kind._fields):
            if name not in said:
                continue
            if name in CONVERSIONS:
                self._converted.append((places[name], field, CONVERSIONS[name][1]))
            elif name in places:
                self._plain.append((places[name], field))

    def cells(self, record: Record, known: Known) -> list[Cell]:
        """Return the cells of a record."""
        cells: list[Cell] = [None] * self._width
        fields = cast(tuple[int, ...], record)
        for place, field in self._plain:
            cells[place] = fields[field]
        for place, field, convert in self._converted:
            cells[place] = convert(fields[field], known)
        if isinstance(record, ev.Evict):
            for place, tokens in zip(range(self._freed_at, self._width), record.freed_tokens, strict=False):
                cells[place] = tokens
        return cells
