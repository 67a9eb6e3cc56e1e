"""The data of the page: rows of a forest as columns, names as places in a table.

A row is a frame or a fold. Its parent follows from `depth`, as rows are depth-first, and its first token from where
its parent ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from profiles.forest import UNITS, Frame
from profiles.labels import clean, parted
from profiles.palette import family

if TYPE_CHECKING:
    from profiles.diff.difference import ChangedRow
    from profiles.pruned import Row

RESIDENT, GONE, SPACE, FOLD, OPERATION, ELSEWHERE, TOMBSTONE = range(7)
"""The `state` of a row; from TOMBSTONE on, `lost` says what it lacks. The page's script knows them as well."""

_STATES = {"namespace": SPACE, "folded": FOLD, "operation": OPERATION, "elsewhere": ELSEWHERE}

_TELLING = {
    "components": "",
    "page_size": "page size ",
    "window": "window ",
    "policy": "",
    "model": "model ",
}
"""What of a recording's settings is told on the page, and the words before it."""


class Columns:
    """Rows, taken in one by one."""

    def __init__(self) -> None:
        self._depth: list[int] = []
        self._name: list[int] = []
        self._hash: list[str] = []
        self._kind: list[int] = []
        self._state: list[int] = []
        self._end: list[int] = []
        self._nodes: list[int] = []
        self._names = _Table()
        self._kinds = _Table()
        self._operations = _Table()
        self._lost = _Table()

    def add(self, row: Row | ChangedRow) -> None:
        """Take in the next row."""
        frame = row.frame
        text, hash_ = parted(row.label)
        self._depth.append(row.depth)
        self._name.append(-1 if frame is None else self._names.place(text))
        self._hash.append(hash_ or " " * 6)
        self._kind.append(-1 if frame is None else self._kind_of(frame))
        self._state.append(FOLD if frame is None else self._state_of(frame))
        self._end.append(0 if frame is None else frame.end)
        self._nodes.append(row.nodes)

    def _kind_of(self, frame: Frame) -> int:
        """Return the kind of a segment, or, from -2 downwards, of an operation; -1 where colours say nothing."""
        if frame.kind == "operation":
            return -2 - self._operations.place(frame.segment)
        return self._kinds.place(family(frame.segment)) if frame.kind == "content" else -1

    def _state_of(self, frame: Frame) -> int:
        if frame.kind != "content":
            return _STATES[frame.kind]
        if not frame.resident:
            return GONE
        return TOMBSTONE + self._lost.place(clean(", ".join(frame.lost))) if frame.lost else RESIDENT

    def entries(self) -> Mapping[str, object]:
        """Return the columns and tables as the script reads them."""
        return {
            "names": self._names.texts,
            "kinds": self._kinds.texts,
            "operations": self._operations.texts,
            "lost": self._lost.texts,
            "depth": self._depth,
            "name": self._name,
            "hash": "".join(self._hash),
            "kind": self._kind,
            "state": self._state,
            "end": self._end,
            "nodes": self._nodes,
        }


class _Table:
    """Texts, each once, in the order of their first use."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Return the place of a text, entering it first if need be."""
        return self._places.setdefault(text, len(self._places))

    @property
    def texts(self) -> list[str]:
        """The texts in their order."""
        return list(self._places)


def described(captions: Mapping[str, str]) -> list[dict[str, str]]:
    """Return what the page says of weights, in their order, by what they are called."""
    return [{"name": weight, "label": caption, "unit": UNITS[weight]} for weight, caption in captions.items()]


def about(config: Mapping[str, object]) -> list[str]:
    """Return what a recording's settings say of it, a few words each."""
    said = []
    for key, words in _TELLING.items():
        value = config.get(key)
        if isinstance(value, list | tuple):
            value = " + ".join(str(item) for item in value)
        if isinstance(value, str | int) and value not in ("", None):
            said.append(clean(f"{words}{value}"))
    return said
