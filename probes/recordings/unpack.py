"""From the words of a block to records: all of them, or those of a few kinds without a look at the rest."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import NamedTuple, get_args

from cache_core.event_codec import COMPONENT_AT, TEXT, TRAILING, decode, head
from cache_core.events import KIND_MASK, MAX_COMPONENTS, WORDS_SHIFT, Record
from probes.block_stream import RawBlock
from probes.blocks import BlockError

_MOST_HEADS = 4096
"""So many different head words are remembered; a stream of ours has a few dozen."""

_new: Callable[[type, tuple[object, ...]], Record] = tuple.__new__


class _Shape(NamedTuple):
    """How the records of one head word are made: the class when that is all there is to it, their words in all.

    Of a class with a field per component, `split` is the number of words before that field. One whose word `named`
    must be a component is `checked` first.
    """

    cls: type[Record] | None
    step: int
    split: int = 0
    checked: type[Record] | None = None
    named: int = 0


class Unpacker:
    """Cuts blocks into records; with `kinds`, only those of these classes are built."""

    def __init__(self, kinds: Collection[type[Record]] | None = None) -> None:
        self._wanted = None if kinds is None else frozenset(head(cls) & KIND_MASK for cls in kinds)
        self._shapes: dict[int, _Shape] = {}
        self._steps: dict[int, int] = {}

    def __call__(self, raw: RawBlock) -> list[Record]:
        """Return the records whose kind is known and whose fields are all there.

        Raises BlockError when the records do not fill the block.
        """
        return self._all(raw) if self._wanted is None else self._some(raw)

    def _all(self, raw: RawBlock) -> list[Record]:
        words: tuple[int, ...] = tuple(raw.words.tolist())
        found: list[Record] = []
        append, shapes = found.append, self._shapes
        at, end = 0, len(words)
        while at < end:
            shape = shapes.get(words[at]) or self._learn(words[at])
            cls, step, split, _, _ = shape
            behind = at + step
            if cls is None:
                record = _decode(shape, words[at:behind])
                if record is not None:
                    append(record)
            elif split:
                append(_new(cls, (*words[at + 1 : at + split], words[at + split : behind])))
            else:
                append(_new(cls, words[at + 1 : behind]))
            at = behind
        if at != end:
            raise BlockError("its records do not fill it")
        return found

    def _some(self, raw: RawBlock) -> list[Record]:
        words = raw.words
        found: list[Record] = []
        steps = self._steps
        at, end = 0, len(words)
        while at < end:
            step = steps.get(words[at])
            if step is None:
                step, record = self._look(words, at)
                if record is not None:
                    found.append(record)
            at += step
        if at != end:
            raise BlockError("its records do not fill it")
        return found

    def _look(self, words: memoryview, at: int) -> tuple[int, Record | None]:
        """Return how long the record at `at` is, and the record if it is of a wanted kind."""
        first = words[at]
        shape = self._shapes.get(first) or self._learn(first)
        assert self._wanted is not None
        if first & KIND_MASK not in self._wanted:
            if len(self._steps) < _MOST_HEADS:
                self._steps[first] = shape.step
            return shape.step, None
        whole = tuple(words[at : at + shape.step].tolist())
        if shape.cls is None:
            return shape.step, _decode(shape, whole)
        return shape.step, _make(shape.cls, shape.split, whole)

    def _learn(self, first: int) -> _Shape:
        if first < 0:
            raise BlockError("its records do not fill it")
        shape = _SHAPES.get(first) or _Shape(None, 1 + (first >> WORDS_SHIFT))
        if len(self._shapes) < _MOST_HEADS:
            self._shapes[first] = shape
        return shape


def _make(cls: type[Record], split: int, words: tuple[int, ...]) -> Record:
    return _new(cls, (*words[1:split], words[split:]) if split else words[1:])


def _decode(shape: _Shape, words: tuple[int, ...]) -> Record | None:
    """Return the record of a head and its words; None when it is of no known kind or not whole."""
    if len(words) != shape.step:
        return None
    if shape.checked is not None:
        named = words[shape.named]
        return _make(shape.checked, shape.split, words) if 0 <= named < MAX_COMPONENTS else None
    try:
        return decode(words[0] & KIND_MASK, words[1:])
    except ValueError:
        return None


def _shapes() -> dict[int, _Shape]:
    """Return the shapes of all head words whose records are exactly their fields; the others need a closer look."""
    shapes = {}
    for cls in get_args(Record):
        if cls in TEXT:
            continue
        fields = len(cls._fields)
        named = 1 + COMPONENT_AT[cls] if cls in COMPONENT_AT else 0
        plain, checked = (None, cls) if named else (cls, None)
        if cls in TRAILING:
            for components in range(MAX_COMPONENTS + 1):
                shapes[head(cls, components)] = _Shape(plain, fields + components, fields, checked, named)
        else:
            shapes[head(cls)] = _Shape(plain, 1 + fields, 0, checked, named)
    return shapes


_SHAPES = _shapes()
