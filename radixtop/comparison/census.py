"""Which prefixes hold how much at one moment, and which hold more or less of it later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from probes.mirror import Mirror
from probes.mirroring.columns import ROOT
from probes.mirroring.node import MirrorNode
from radixtop.flame.layout import Grove, parting
from radixtop.render.lines import clean

SMALLEST_PART = 5_000
"""A prefix with less than the whole divided by this is not listed: so a census has at most so many."""


class Prefix(NamedTuple):
    """A prefix by the number of its node, with the tokens at and below it."""

    node: int
    tokens: int
    label: str


@dataclass(frozen=True, slots=True)
class Census:
    """The prefixes right below a node: the root, or what nearly everything shares."""

    top: int
    prefixes: tuple[Prefix, ...]
    tokens: int


class PrefixChange(NamedTuple):
    """A prefix that holds more or fewer tokens than it did; `node` is -1 when it is gone."""

    node: int
    label: str
    before: int
    after: int


def census(mirror: Mirror, grove: Grove) -> Census:
    """Count the tree; a million nodes cost as much as those that count."""
    whole = grove.total(ROOT)
    top, heavy = parting(grove, ROOT, max(1, whole // SMALLEST_PART))
    return Census(top, tuple(Prefix(node, tokens, _label(mirror, node)) for node, tokens in heavy), whole)


def changes(mirror: Mirror, grove: Grove, then: Census, most: int) -> tuple[PrefixChange, ...]:
    """Return the prefixes that grew or shrank most since a census, by how much.

    A node that was split since is the lower part of what it was: its tokens then count for the prefix above it now.
    """
    top = then.top if then.top in mirror.nodes else ROOT
    before: dict[int, int] = {}
    gone: list[PrefixChange] = []
    for prefix in then.prefixes:
        now = _below(mirror, top, prefix.node)
        if now < 0:
            gone.append(PrefixChange(-1, prefix.label, prefix.tokens, 0))
        else:
            before[now] = before.get(now, 0) + prefix.tokens
    least = max(1, grove.total(ROOT) // SMALLEST_PART)
    after = dict.fromkeys(before, 0) | dict(grove.heavy(top, least))
    found = [(node, before.get(node, 0), tokens or grove.total(node)) for node, tokens in after.items()]
    changed = [*gone, *(PrefixChange(node, "", old, new) for node, old, new in found if old != new)]
    changed.sort(key=lambda change: (-abs(change.after - change.before), change.node))
    return tuple(
        change if change.node < 0 else change._replace(label=_label(mirror, change.node)) for change in changed[:most]
    )


def _below(mirror: Mirror, top: int, number: int) -> int:
    """Return which node right below `top` a node belongs to now; -1 when it is gone, or no longer below it."""
    node: MirrorNode | None = mirror.nodes.get(number)
    while node is not None and node.parent is not None and node.parent.id != top:
        node = node.parent
    return -1 if node is None or node.parent is None else node.id


def _label(mirror: Mirror, number: int) -> str:
    return clean(mirror.describe(mirror.nodes[number]))
