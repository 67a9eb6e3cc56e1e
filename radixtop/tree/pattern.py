"""Which nodes a filter keeps: those that match, and the way from the root to them."""

from __future__ import annotations

from collections.abc import Iterator

from probes.content_hash import content_hash
from probes.mirror import Mirror
from probes.mirror_node import MirrorNode


def matching(mirror: Mirror, pattern: str) -> Iterator[MirrorNode]:
    """Yield the nodes whose segment, namespace, content hash or number (as #12) contains `pattern`.

    Texts are compared once per name, not once per node, so a million nodes cost a million set look-ups.
    """
    wanted = pattern.casefold()
    labels = {number for number, text in mirror.labels.items() if wanted in text.casefold()}
    namespaces = {number for number, text in mirror.namespaces.items() if text and wanted in text.casefold()}
    number = int(wanted[1:]) if wanted[:1] == "#" and wanted[1:].isdecimal() else -1
    hash_wanted = wanted if wanted and all(digit in "0123456789abcdef" for digit in wanted) else None
    for node in mirror.nodes.values():
        if (
            node.id == number
            or (node.namespace in namespaces and node is not mirror.root)
            or any(label in labels for _, label in node.segments)
            or (hash_wanted is not None and hash_wanted in content_hash(node.content_key))
        ):
            yield node


def with_ways(matches: set[int], mirror: Mirror) -> set[int]:
    """Return the matches and every node above them."""
    kept: set[int] = set()
    for number in matches:
        node: MirrorNode | None = mirror.nodes.get(number)
        while node is not None and node.id not in kept:
            kept.add(node.id)
            node = node.parent
    return kept
