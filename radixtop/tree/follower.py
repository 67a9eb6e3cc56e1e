"""What changed in a mirror since rows were last brought up to it."""

from __future__ import annotations

from probes.mirror import Mirror
from radixtop.tree.layout import Layout
from radixtop.tree.top_list import TopList

_FEW = 256
_PART = 128
"""A change costs as much as counting so many nodes anew."""


class Follower:
    """Brings rows up to one mirror."""

    def __init__(self, mirror: Mirror) -> None:
        self._columns = mirror.columns
        self._reader = mirror.changes.reader()
        self._reader.take()

    def brings_up(self, rows: Layout | TopList) -> bool:
        """Take over what changed; False, and nothing is, when that is so much that rows are to be made anew."""
        changes = self._reader.take()
        rows.follow()
        if changes is None:
            return False
        places = {change.slot for change in changes if change.kind != "restated"}
        if not places:
            return True
        if isinstance(rows, TopList):
            rows.drop_gone()
            return True
        if len(places) > max(_FEW, self._columns.used // _PART):
            return False
        rows.update(places)
        return True
