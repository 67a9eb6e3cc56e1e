"""The tree of a mirror as groves, one a weight."""

from __future__ import annotations

from probes.mirror import Mirror


class TokenGrove:
    """Tokens, which the mirror itself sums up while it changes."""

    def __init__(self, mirror: Mirror) -> None:
        self._nodes = mirror.nodes

    def total(self, node: int) -> int:
        """See Grove."""
        return self._nodes[node].subtree_tokens

    def own(self, node: int) -> int:
        """See Grove."""
        return self._nodes[node].length

    def heavy(self, node: int, least: int) -> list[tuple[int, int]]:
        """See Grove."""
        children = self._nodes[node].children.values()
        found = [(child.id, child.subtree_tokens) for child in children if child.subtree_tokens >= least]
        found.sort(key=lambda pair: (-pair[1], pair[0]))
        return found

    def child_count(self, node: int) -> int:
        """See Grove."""
        return len(self._nodes[node].children)
