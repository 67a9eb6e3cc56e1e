"""Names of segments that name no text, but what it is for, such as system or user: texts that part have them, too.

node      [----- a, from before -----)
children                              [--- a goes on ---)       two texts a part here, inside of a:
                                      [--- a goes on ------)    a is no name of a text
"""

from __future__ import annotations

from itertools import islice

from cache_core.events import Insert
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode

_MOST_SIBLINGS = 8
"""So many are looked at: where texts of a name part at all, they do so often."""


class Roles:
    """Collects the labels that parted, `labels`, as inserts come. A `page` is what keys are told apart by."""

    def __init__(self, mirror: Mirror, page: int) -> None:
        self.labels: set[int] = set()
        self._mirror = mirror
        self._page = page

    def take(self, record: Insert) -> None:
        """Look whether what was inserted parts with something of the same name in the middle of that."""
        node = self._mirror.nodes.get(record.node)
        above = None if node is None else node.parent
        if node is None or above is None or above.parent is None:
            return
        label = self._going_on(node)
        if label is None or label in self.labels or self._mirror.last_label(above.id) != label:
            return
        siblings = islice(above.children.values(), _MOST_SIBLINGS)
        if any(each != node and self._going_on(each) == label for each in siblings):
            self.labels.add(label)

    def _going_on(self, node: MirrorNode) -> int | None:
        """Return the label of the first page of a node; None where that has none, or two."""
        segments = node.segments
        if not segments or segments[0][0] > node.start:
            return None
        last = min(node.end, node.start + self._page) - 1
        return None if any(start <= last for start, _ in segments[1:]) else segments[0][1]
