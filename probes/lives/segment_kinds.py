"""Kinds of workload segments: their names without numbers."""

from __future__ import annotations

import re

from probes.mirroring.names import Names
from probes.newest import forget_oldest

_MOST_KNOWN = 1 << 12
_NUMBER = re.compile(r"[ #_:-]*[0-9]+")


class SegmentKinds:
    """Looks kinds up: "question" of "question 17", "topic, passage" of "topic 1, passage 3".

    Of what has no label, or no name any more, it is None.
    """

    __slots__ = ("_known", "_names")

    def __init__(self, names: Names) -> None:
        self._names = names
        self._known: dict[int, str] = {}

    def of(self, label: int | None) -> str | None:
        """Return the kind of a label."""
        if label is None:
            return None
        kind = self._known.get(label)
        if kind is None:
            name = self._names.get(label, "")
            kind = _NUMBER.sub("", name) or name
            if not kind:
                return None
            self._known[label] = kind
            if len(self._known) > _MOST_KNOWN:
                forget_oldest(self._known)
        return kind
