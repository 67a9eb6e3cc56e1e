"""Rows and branches as values, read from the mirror."""

from __future__ import annotations

from probes.content_hash import hash6
from probes.mirror import Mirror
from probes.mirroring.node import MirrorNode
from radixtop.naming import name_of
from radixtop.tree.layout import Place
from radixtop.tree.order import Whole
from radixtop.tree.rows import TreeRow

_FEW = 64
"""What a longer chain of nodes reused is taken from the whole column."""


class RowMaker:
    """Makes the rows of one page; columns are looked at once."""

    def __init__(self, mirror: Mirror) -> None:
        columns = mirror.columns
        self._mirror = mirror
        self._hits, self._locks, self._touched_at = columns.hits, columns.locks, columns.touched_at
        self._subtree_tokens = columns.subtree_tokens
        self._reused_tokens: Whole | None = None

    def row(self, place: Place, is_match: bool) -> TreeRow:
        """Return a row."""
        columns, nodes, head, tail = self._mirror.columns, self._mirror.nodes, place.head, place.slot
        first, chain, weakest = nodes[columns.id[head]], [tail], tail
        tokens, told = columns.length[tail], self._mirror.told
        if head == tail:
            label, hit_tokens = name_of(self._mirror, first), first.hit_tokens
        else:
            chain = self._chain(place)
            tokens += self._subtree_tokens[head] - self._subtree_tokens[tail]
            label = _label(self._mirror, first, nodes[columns.id[tail]], tokens)
            weakest = min(chain, key=lambda slot: columns.live[slot].bit_count())
            hit_tokens = self._sum_reused(chain)
        return TreeRow(
            node=columns.id[tail],
            level=place.level,
            guides=place.guides,
            is_open=place.is_open,
            children=columns.child_count[tail],
            label=label,
            tokens=tokens,
            subtree_tokens=self._subtree_tokens[head],
            hits=told(self._hits[head]),
            hit_tokens=told(hit_tokens),
            recomputed_tokens=told(sum(columns.recomputed_tokens[slot] for slot in chain)),
            locks=told(self._locks[head]),
            live=columns.live[weakest],
            copied=columns.copied[weakest],
            created_at=columns.created_at[head],
            touched_at=self._touched_at[head] if self._mirror.tells_use else -1,
            joined=len(chain) - 1,
            is_match=is_match,
        )

    def _chain(self, place: Place) -> list[int]:
        """Return the slots of a row, the last one first."""
        parent, chain = self._mirror.columns.parent, [place.slot]
        while chain[-1] != place.head:
            chain.append(parent[chain[-1]])
        return chain

    def _sum_reused(self, chain: list[int]) -> int:
        if len(chain) <= _FEW:
            nodes, id_ = self._mirror.nodes, self._mirror.columns.id
            return sum(nodes[id_[slot]].hit_tokens for slot in chain)
        if self._reused_tokens is None:
            self._reused_tokens = self._mirror.columns.view("hit_tokens")
        return int(self._reused_tokens[chain].sum())


def _label(mirror: Mirror, first: MirrorNode, last: MirrorNode, tokens: int) -> str:
    """Return the label of a chain: of its first node, and of its last one where that is another."""
    if not first.segments and not last.segments and not mirror.texts.is_on:
        return f"{first.start:,}..+{tokens:,} ·{hash6(last.content_key)}"
    return " … ".join(dict.fromkeys(name_of(mirror, node) for node in (first, last)))
