"""Nodes of a mirror for those who need one node and no tree."""

from __future__ import annotations

from cache_core.events import NodeAdded
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from tests.support.records import added

_UPPER = 1 << 62


def made_node(number: int, start: int = 0, length: int = 0, at: int = 0, **fields: int) -> MirrorNode:
    """Return a node right below the root; `fields` are those of NodeAdded."""
    mirror = Mirror()
    mirror.apply(added(number, 0, length, start=start, at=at, **fields))
    return mirror.nodes[number]


def made_below(above_key: int, stated: NodeAdded) -> MirrorNode:
    """Return a node below another one that has a content key, whatever parent is stated."""
    mirror = Mirror()
    mirror.apply(added(_UPPER, 0, stated.start, content_key=above_key))
    mirror.apply(stated._replace(parent=_UPPER))
    return mirror.nodes[stated.node]
