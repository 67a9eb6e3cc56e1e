"""Short ways to write a record: every field has a plain default, name the ones that matter."""

from __future__ import annotations

from typing import Any, TypeVar

from cache_core import events
from probes.fleet.figures import FleetFigures
from probes.scrapes.figures import EngineFigures

R = TypeVar("R")

_DEFAULTS: dict[str, Any] = {
    "branching_point": -1, "full_node": 0, "request": -1, "branch_inserted": -1, "live": 1, "namespace": 0,
    "freed_tokens": (), "moved_tokens": (), "content_keys": (), "token_keys": (), "text": "",
    "server": "", "engine": "sglang", "counters": {}, "gauges": {}, "histograms": {}, "notes": (),
    "ranks": (), "followed": None, "overlap": None,
}  # fmt: skip

ALL_CLASSES = frozenset(
    value for value in vars(events).values() if isinstance(value, type) and hasattr(value, "_fields")
) - {events._RequestFields}
"""Every record class that a cache emits."""

OF_ENGINES: frozenset[type] = frozenset({EngineFigures, FleetFigures})
"""Every record class that is made of what inference servers tell."""


def record(cls: type[R], **fields: Any) -> R:
    """Return a record of `cls`; a field that is not named is 0, or -1 or empty where 0 would say something."""
    names = cls._fields  # type: ignore[attr-defined]
    unknown = set(fields) - set(names)
    assert not unknown, f"{cls.__name__} has no {unknown}"
    return cls(*(fields.get(name, _DEFAULTS.get(name, 0)) for name in names))


def added(node: int, parent: int, length: int, **fields: Any) -> events.NodeAdded:
    """Return a new node of `length` tokens; state its `start` unless it hangs under the root."""
    return record(events.NodeAdded, node=node, parent=parent, length=length, **fields)
