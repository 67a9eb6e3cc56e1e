"""The named segments of a prompt, as the path of a request through the tree has them."""

from __future__ import annotations

from typing import NamedTuple

from probes.mirror import Mirror


class Segment(NamedTuple):
    """Tokens [start, end) of a prompt under a label. One that may go on behind what is stored is not `whole`, unless
    most of it is there: a page or more, and less than a page of the prompt behind it."""

    start: int
    end: int
    label: int
    whole: bool

    @property
    def length(self) -> int:
        """Its tokens."""
        return self.end - self.start


def segments_of(mirror: Mirror, node_id: int, prompt_tokens: int, page_tokens: int = 1) -> list[Segment]:
    """Return the named segments of a prompt on the path down to a node, as far as that goes.

    pages   |--------|--------|--------|--------|--------|
    prompt  |- date -|---- system prompt --------- ... ----|- question -|
    stored  |------------------------------------------|                 the system prompt, cut, is whole
    """
    node = mirror.nodes.get(node_id)
    end = min(prompt_tokens, node.end) if node is not None else 0
    is_cut_by_page = prompt_tokens - end < page_tokens
    starts: list[tuple[int, int]] = []
    while node is not None and node.parent is not None:
        starts += reversed(node.segments)
        node = node.parent
    found: list[Segment] = []
    for start, label in reversed(starts):
        if start >= end:
            break
        if found and found[-1].label == label:
            continue
        if found:
            found[-1] = found[-1]._replace(end=start, whole=True)
        found.append(
            Segment(start, end, label, end == prompt_tokens or (is_cut_by_page and end - start >= page_tokens))
        )
    return found
