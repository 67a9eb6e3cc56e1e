"""Cuts where content was marked, beside those where nodes ended: what was evicted is known again to the mark.

evicted      [------ a -----)                    the key at the mark | inside a is in b, too
comes back   [------|-- b ---------------)       so both begin with the same stretch up to |
"""

from __future__ import annotations

from cache_core.events import NodeMarked
from probes.mirror import Mirror
from profiles.forest import TOP
from profiles.growth.cuts import Cuts


class MarkedCuts:
    """Takes in the keys inside new nodes, whose ends the cuts have."""

    def __init__(self, mirror: Mirror, cuts: Cuts) -> None:
        self._mirror = mirror
        self._cuts = cuts

    def take(self, record: NodeMarked) -> None:
        """Cut a node at its marks. What a damaged or forged stream says against the cuts is left out."""
        node, cuts = self._mirror.nodes.get(record.node), self._cuts
        if node is None or node.parent is None or record.step <= 0:
            return
        last = cuts.rows.get(node.content_key)
        above = TOP if node.parent.parent is None else cuts.rows.get(node.parent.content_key)
        if last is None or above is None or cuts.end(last) != node.end or cuts.end(above) != node.start:
            return
        for place, key in enumerate(record.content_keys):
            end = record.first + place * record.step
            if cuts.end(above) < end < node.end:
                row = self._row(key, above, end, node.namespace)
                if row is None:
                    return
                above = row
        cuts.cut(last, above)

    def _row(self, key: int, above: int, end: int, namespace: int) -> int | None:
        """Return the row of a mark below another one; None where that cannot be."""
        cuts = self._cuts
        row = cuts.rows.get(key)
        if row is None:
            row = cuts.rows[key] = cuts.append(key, above, end, namespace)
        elif cuts.end(row) != end:
            return None
        else:
            cuts.cut(row, above)
        return row
