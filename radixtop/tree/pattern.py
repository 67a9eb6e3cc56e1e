"""Which nodes a filter lets through."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from probes.mirror import Mirror
from radixtop.tree.openness import Mask
from radixtop.tree.order import Columns, Whole

_HEXADECIMAL = frozenset("0123456789abcdef")
_DIGITS = 16
"""Hexadecimal digits of a content key."""


class LabelledColumns(Columns, Protocol):
    """Columns with the segments of nodes: `label` has the only one, `segments` has them where it does not."""

    @property
    def segments(self) -> Mapping[int, tuple[tuple[int, int], ...]]:
        """By slot, (start, label), of the nodes of which `label` does not say all."""


class Pattern:
    """Matches nodes whose segment, namespace, content hash or number (as #12) contains a text; after a "!", others.

    So do those of which some text is known that contains it. Texts are compared once per name, not once per node.
    """

    def __init__(self, text: str, mirror: Mirror) -> None:
        wanted = text.casefold()
        self._negates = wanted.startswith("!") and len(wanted) > 1
        wanted = wanted[self._negates :]
        self._labels = {number for number, name in mirror.labels.items() if wanted in name.casefold()}
        self._namespaces = {
            number for number, name in mirror.namespaces.items() if name and wanted in name.casefold()
        }
        self._texts = {node for node, start in mirror.texts.matching(wanted).items() if _begins(mirror, node, start)}
        self._number = int(wanted[1:]) if wanted[:1] == "#" and wanted[1:].isdecimal() and len(wanted) < 20 else -1
        is_hash = 0 < len(wanted) <= _DIGITS and _HEXADECIMAL.issuperset(wanted)
        self._hash = wanted if is_hash else ""

    def matches(self, columns: LabelledColumns, slots: Whole) -> Mask:
        """Say of each of some nodes whether it matches."""
        found: Mask = columns.view("id")[slots] == self._number
        found |= _among(columns.view("id")[slots], self._texts)
        found |= _among(columns.view("namespace")[slots], self._namespaces)
        found |= _among(columns.view("label")[slots], self._labels)
        if self._hash:
            found |= _has_digits(columns.view("content_key")[slots], self._hash)
        if columns.segments and self._labels:
            found |= self._segmented(columns, slots)
        return ~found if self._negates else found

    def _segmented(self, columns: LabelledColumns, slots: Whole) -> Mask:
        """Say which of the nodes that have several segments match."""
        segments, wanted = columns.segments, self._labels
        if len(slots) == 1:
            return np.array([any(label in wanted for _, label in segments.get(int(slots[0]), ()))])
        named = np.zeros(len(columns.view("id")), np.bool_)
        named[[slot for slot, of in segments.items() if any(label in wanted for _, label in of)]] = True
        return named[slots]


def _begins(mirror: Mirror, node: int, start: int) -> bool:
    """Say whether a node begins where it began: one that was split says something else now."""
    known = mirror.nodes.get(node)
    return known is not None and known.start == start


def _among(numbers: Whole, wanted: set[int]) -> Mask:
    if not wanted:
        return np.zeros(len(numbers), np.bool_)
    return np.isin(numbers, np.fromiter(wanted, np.int64, len(wanted)))


def _has_digits(keys: Whole, digits: str) -> Mask:
    """Say which of some content keys have these digits in a row."""
    words, wanted = keys.astype(np.int64).view(np.uint64), int(digits, 16)
    found = np.zeros(len(words), np.bool_)
    mask = np.uint64((1 << 4 * len(digits)) - 1)
    for place in range(_DIGITS - len(digits) + 1):
        found |= words >> np.uint64(4 * place) & mask == wanted
    return found
