"""Puts a forest together: rows of content in any order, named rows on top, every weight summed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from probes.mirroring.segments import Segments
from profiles.columns import Column, column, depth_first, running
from profiles.forest import TOP, WEIGHTS, Forest, Frame
from profiles.frames import Named, Names, name_key
from profiles.labels import clean


@dataclass(frozen=True, slots=True)
class Content:
    """Rows of content. `parents` are rows, `present` is as in Names, `segments` returns what names a row has.

    `own` has what each row weighs, by weight. `folded` says which rows stand for how many that were folded.
    """

    parents: Column
    keys: Column
    ends: Column
    namespaces: Column
    present: Column
    segments: Callable[[int], Segments]
    own: Mapping[str, Column]
    folded: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A row without content; `parent` is the number of a named row before it, or TOP."""

    parent: int
    named: Named
    own: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SourceNames:
    """The names that a source told: of namespaces and labels by id, and of components by bit."""

    namespaces: Mapping[int, str]
    labels: Mapping[int, str]
    components: tuple[str, ...]
    title: str = ""


def plant(content: Content, rows: Sequence[NamedRow], source: SourceNames) -> Forest:
    """Return the forest of content and named rows. A namespace that has a name gets a row of its own."""
    count = len(content.parents)
    spaces = _spaces(content, source.namespaces)
    tops = _below_spaces(content, spaces, count + len(rows))
    rows = [*rows, *(NamedRow(TOP, named, {}) for named in spaces.values())]
    parents = np.concatenate((tops, _named(rows, lambda row: row.parent)))
    parents[count:] += np.where(parents[count:] == TOP, 0, count)
    keys = np.concatenate((content.keys, _named(rows, lambda row: row.named.key)))
    order = depth_first(parents, keys)
    none = np.zeros(len(rows), np.int64)
    places = order.places
    names = Names(
        named={int(places[count + number]): row.named for number, row in enumerate(rows)}
        | {int(places[row]): _fold(nodes, int(content.keys[row])) for row, nodes in content.folded.items()},
        segments=_at(content.segments, order.rows),
        labels=source.labels,
        present=np.concatenate((content.present, none))[order.rows],
        components=source.components,
    )
    return Forest(
        parents=order.parents,
        lasts=order.lasts,
        keys=keys[order.rows],
        ends=np.concatenate((content.ends, none))[order.rows],
        sums={weight: running(_own(content, rows, weight)[order.rows]) for weight in _known(content, rows)},
        naming=names,
        title=clean(source.title, unnamed=""),
        folded={int(places[row]): nodes for row, nodes in content.folded.items()},
    )


def fold_name(nodes: int) -> str:
    """Return what a fold of so many frames is called."""
    return f"(+{nodes:,} node{'s' * (nodes > 1)})"


def _fold(nodes: int, key: int) -> Named:
    return Named("folded", fold_name(nodes), key)


def _at(segments: Callable[[int], Segments], rows: Column) -> Callable[[int], Segments]:
    return lambda place: segments(int(rows[place]))


def _spaces(content: Content, namespaces: Mapping[int, str]) -> dict[int, Named]:
    """Return the named namespaces that there is content of, by id. The name makes the key, so that runs compare."""
    there = np.unique(content.namespaces[content.parents == TOP]).tolist()
    named = {id_: namespaces.get(id_, "") for id_ in there}
    return {
        id_: Named("namespace", text, name_key("namespace", text), is_ours=False)
        for id_, text in named.items()
        if text
    }


def _below_spaces(content: Content, spaces: Mapping[int, Named], first: int) -> Column:
    """Return the parents of content, where the rows of namespaces begin at `first`."""
    parents = content.parents.copy()
    if spaces:
        tops = np.flatnonzero(parents == TOP)
        row_of = {id_: first + number for number, id_ in enumerate(spaces)}
        parents[tops] = [row_of.get(id_, TOP) for id_ in content.namespaces[tops].tolist()]
    return parents


def _named(rows: Sequence[NamedRow], value: Callable[[NamedRow], int]) -> Column:
    return column(map(value, rows), len(rows))


def _known(content: Content, rows: Sequence[NamedRow]) -> list[str]:
    return [weight for weight in WEIGHTS if weight in content.own or any(weight in row.own for row in rows)]


def _own(content: Content, rows: Sequence[NamedRow], weight: str) -> Column:
    own = content.own.get(weight)
    named = _named(rows, lambda row: row.own.get(weight, 0))
    return np.concatenate((np.zeros(len(content.parents), np.int64) if own is None else own, named))


def forest_of(frames: Sequence[Frame], weights: Mapping[str, Sequence[int]], title: str = "") -> Forest:
    """Return the forest of frames that are given, parents first, and of what each weighs itself."""
    count = len(frames)
    order = depth_first(
        column((frame.parent for frame in frames), count), column((frame.key for frame in frames), count)
    )
    return Forest(
        parents=order.parents,
        lasts=order.lasts,
        keys=column((frame.key for frame in frames), count)[order.rows],
        ends=column((frame.end for frame in frames), count)[order.rows],
        sums={weight: running(column(own, count)[order.rows]) for weight, own in weights.items()},
        naming=_Given(tuple(frames[row] for row in order.rows.tolist())),
        title=title,
    )


@dataclass(frozen=True, slots=True)
class _Given:
    """Frames that were there before, by place."""

    frames: Sequence[Frame]

    def frame(self, forest: Forest, place: int) -> Frame:
        """See Naming."""
        return replace(self.frames[place], parent=int(forest.parents[place]))
