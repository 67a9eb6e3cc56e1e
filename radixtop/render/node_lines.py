"""The detail of one node as lines."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len, chop_cells

from probes.content_hash import content_hash
from radixtop.render.figures import Figure, figures
from radixtop.render.graph import Plot, area_graph, ceiling
from radixtop.render.lines import BLANK, Line, Span, beside, clean, crop, width_of
from radixtop.render.marks import live_marks
from radixtop.render.page_map import map_key, page_map
from radixtop.render.table import Column, arrange, head, row
from radixtop.render.units import count, grouped, since
from radixtop.tree.node import NodeDetail

_BLOCK = 36
_HOLDERS = 8
_TEXT_LINES = 12
_HIDDEN = "text hidden; the content key stands for it"
_UNKNOWN = "not known yet"
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


def node_lines(
    node: NodeDetail, width: int, now: int, components: Sequence[str], hits: Sequence[int | None] = ()
) -> list[Line]:
    """Return everything about a node; `hits` are those of each second since somebody looked at it.

    Figures, what is live, pages and locks come first, since what follows may be long.
    """
    place, use = figures(_place(node), min(width, _BLOCK)), figures(_use(node, now), min(width, _BLOCK))
    lines = beside(place, use, _BLOCK, "    ") if width >= 2 * _BLOCK + 4 else [*place, *use]
    lines += [BLANK, *_live(node, components, width)]
    if node.hits is not None:
        lines += [BLANK, *_hit_history(hits, width)]
    lines += [BLANK, (("pages from the root", "head"),)]
    lines += [*page_map(node.runs, node.page_tokens, width, components), map_key(components), *_held(node, width)]
    if node.segments:
        lines += [BLANK, (("segments", "head"),)]
        lines += [((f"{start:>10,}  ", "text"), (name, "text")) for start, name in node.segments]
    lines += _text(node.text, width)
    lines += [BLANK, (("the way from the root", "head"),), *_way(node, width, components)]
    lines += [BLANK, ((f"children: {node.child_count:,}", "head"),), *_children(node, width, components)]
    return lines


def _text(text: str | None, width: int) -> list[Line]:
    """Return what a node says, a few lines of it, or why not."""
    if text is None:
        return [((crop(_HIDDEN, width), "dim"),)]
    if not text:
        return [BLANK, (("text", "head"),), ((crop(_UNKNOWN, width), "dim"),)]
    lines = [clean(line.expandtabs(4)) for line in text[: _TEXT_LINES * width].splitlines() if line.strip()]
    cut = [piece for line in lines for piece in _pieces(line, width)]
    more: list[Line] = [(("…", "dim"),)] if len(cut) > _TEXT_LINES or len(text) > _TEXT_LINES * width else []
    return [BLANK, (("text", "head"),), *[((piece, "text"),) for piece in cut[:_TEXT_LINES]], *more]


def _pieces(line: str, width: int) -> list[str]:
    """Return a line in pieces of at most `width` cells."""
    return [line] if cell_len(line) <= width else [*chop_cells(line, max(2, width))]


def _held(node: NodeDetail, width: int) -> list[Line]:
    """Return who holds the node, as far as that is known."""
    if node.locks is None:
        return [(("who holds it is not told", "dim"),)]
    if node.locks <= 0:
        return [(("nobody holds it", "dim"),)]
    times = "once" if node.locks == 1 else f"{grouped(node.locks)} times"
    if node.holders is None:
        told = "by whom is not known"
    elif not node.holders:
        told = "by no request that is known"
    else:
        more = f" and {len(node.holders) - _HOLDERS:,} more" if len(node.holders) > _HOLDERS else ""
        told = "by request " + ", ".join(f"#{request}" for request in node.holders[:_HOLDERS]) + more
    return [((crop(f"locked {times} at or below, {told}", width), "protected"),)]


def _hit_history(hits: Sequence[int | None], width: int) -> list[Line]:
    known = [number for number in hits if number is not None]
    told = f"reused {grouped(sum(known))} times since you opened it, {len(hits)} s ago"
    lines: list[Line] = [((crop(told, width), "head"),)]
    if any(known):
        lines += area_graph(hits, Plot(min(width, len(hits)), 2, ceiling(hits)), ("device",))
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


def _live(node: NodeDetail, components: Sequence[str], width: int) -> list[Line]:
    """Return where each component is, in one line where there is room."""
    head: Span = ("live  ", "head")
    places = [_place_of(node, i, name) for i, name in enumerate(components)]
    if width_of([head, *places]) <= width:
        return [(head, *places)]
    return [(head,), *[(("  ", "text"), place) for place in places]]


def _place_of(node: NodeDetail, i: int, name: str) -> Span:
    live, copied = node.live >> i & 1, node.copied >> i & 1
    if live:
        return (f"{name}: {'live, and on the host' if copied else 'live'}  ", "device")
    if copied:
        return (f"{name}: on the host alone  ", "host")
    if node.live | node.copied:
        return (f"{name}: † tombstone  ", "tombstone")
    return (f"{name}: ↓ on its way to the host  ", "host")


def _marks(live: int, copied: int, components: Sequence[str]) -> str:
    return "".join(text for text, _ in live_marks(live, copied, components))


def _way(node: NodeDetail, width: int, components: Sequence[str]) -> list[Line]:
    columns = arrange(_WAY, width)
    lines = [head(columns)]
    above = node.way_count - len(node.way)
    if above:
        lines.append(((f"{above:,} more above", "dim"),))
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
