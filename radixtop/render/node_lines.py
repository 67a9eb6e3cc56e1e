"""The detail of one node as lines."""

from __future__ import annotations

from collections.abc import Sequence

from probes.content_hash import content_hash
from radixtop.render.figures import Figure, figures
from radixtop.render.lines import BLANK, Line, Span, beside
from radixtop.render.marks import live_marks
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, grouped, since
from radixtop.tree.rows import NodeDetail

_BLOCK = 36
_WAY = (
    Column("node", 8, "dim"),
    Column("from", 10, "text"),
    Column("tokens", 8, "value"),
    Column("live", 5, "text", at_left=True),
    Column("prefix", 0, "text", at_left=True),
)
_CHILDREN = (
    Column("node", 8, "dim"),
    Column("subtree", 10, "value"),
    Column("tokens", 8, "text"),
    Column("hits", 6, "device"),
    Column("live", 5, "text", at_left=True),
    Column("prefix", 0, "text", at_left=True),
)


def node_lines(node: NodeDetail, width: int, now: int, components: Sequence[str]) -> list[Line]:
    """Return everything about a node: figures, what is live, segments, the way to it, its children."""
    place, use = figures(_place(node), _BLOCK), figures(_use(node, now), _BLOCK)
    lines = beside(place, use, _BLOCK, "    ") if width >= 2 * _BLOCK + 4 else [*place, *use]
    lines += [BLANK, _live(node, components)]
    if node.segments:
        lines += [BLANK, (("segments", "head"),)]
        lines += [((f"{start:>10,}  ", "text"), (name, "text")) for start, name in node.segments]
    lines += [BLANK, (("the way from the root", "head"),), *_way(node, width, components)]
    lines += [BLANK, ((f"children: {node.child_count:,}", "head"),), *_children(node, width, components)]
    return lines


def _place(node: NodeDetail) -> list[Figure]:
    return [
        ("node", f"#{node.node}"),
        ("positions", f"{node.start:,}..{node.start + node.tokens:,}"),
        ("tokens", grouped(node.tokens)),
        ("tokens at and below", grouped(node.subtree_tokens)),
        ("content key", content_hash(node.content_key)),
        ("namespace", node.namespace or "default"),
        ("priority", str(node.priority)),
    ]


def _use(node: NodeDetail, now: int) -> list[Figure]:
    return [
        ("requests that reused it", grouped(node.hits), "device"),
        ("tokens reused", grouped(node.hit_tokens), "device"),
        ("tokens recomputed", grouped(node.recomputed_tokens), "full"),
        ("hit count in the cache", grouped(node.hit_count)),
        ("locks at or below", grouped(node.locks), "protected"),
        ("locks on this node", grouped(node.anchored), "protected"),
        ("age, idle", f"{since(now, node.created_at)}, {since(now, node.touched_at)}"),
    ]


def _live(node: NodeDetail, components: Sequence[str]) -> Line:
    spans: list[Span] = [("live  ", "head")]
    for i, name in enumerate(components):
        live, copied = node.live >> i & 1, node.copied >> i & 1
        if live:
            spans.append((f"{name}: {'live, and on the host' if copied else 'live'}  ", "device"))
        elif copied:
            spans.append((f"{name}: on the host alone  ", "host"))
        elif node.live | node.copied:
            spans.append((f"{name}: † tombstone  ", "tombstone"))
        else:
            spans.append((f"{name}: ↓ on its way to the host  ", "host"))
    return tuple(spans)


def _marks(live: int, copied: int, components: Sequence[str]) -> str:
    return "".join(text for text, _ in live_marks(live, copied, components))


def _way(node: NodeDetail, width: int, components: Sequence[str]) -> list[Line]:
    columns = arrange(_WAY, width)
    lines = [head(columns)]
    for step in node.way:
        live = _marks(step.live, step.copied, components)
        lines.append(row(columns, [f"#{step.node}", grouped(step.start), grouped(step.tokens), live, step.label]))
    return lines


def _children(node: NodeDetail, width: int, components: Sequence[str]) -> list[Line]:
    if not node.children:
        return [(("a leaf", "dim"),)]
    columns = arrange(_CHILDREN, width)
    lines = [head(columns)]
    for child in node.children:
        counts = [count(child.subtree_tokens), count(child.tokens), count(child.hits)]
        lines.append(
            row(columns, [f"#{child.node}", *counts, _marks(child.live, child.copied, components), child.label])
        )
    more = node.child_count - len(node.children)
    if more:
        lines.append(((f"{more:,} more", "dim"),))
    return lines
