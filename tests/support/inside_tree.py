"""What a tree looks like, of an engine's own cache and of the records in its ring, so that they can be compared."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable
from typing import Any

from cache_core.event_codec import decode
from cache_core.events import KIND_MASK, Match, RawRecord, Record
from probes.mirror import Mirror

Shape = list[Any]
"""Of a node: its length, and the shapes of what is below it, in order."""

_LINE = re.compile(r"^(\s*)\[\d+\] (\d+)")


def printed_shape(cache: Any) -> Shape:
    """Return the shape of SGLang's own tree, which either core prints to the standard output."""
    text = _printed(cache)
    root: Shape = [0, []]
    way: list[tuple[int, Shape]] = []
    for line in filter(None, map(_LINE.match, text.splitlines())):
        depth, node = len(line.group(1)), [int(line.group(2)), []]
        while way and way[-1][0] >= depth:
            way.pop()
        if way:
            way[-1][1][1].append(node)
        else:
            root = node
        way.append((depth, node))
    return _sorted(root)


def _printed(cache: Any) -> str:
    sys.stdout.flush()
    kept = os.dup(1)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 1)
        try:
            cache.pretty_print()
            sys.stdout.flush()
        finally:
            os.dup2(kept, 1)
            os.close(kept)
        file.seek(0)
        return file.read().decode()


def decoded(raw: RawRecord) -> Record:
    """Return the record that a raw one is."""
    record = decode(raw[0] & KIND_MASK, tuple(raw[1:]))
    assert record is not None, f"{raw=} is no record"
    return record


def mirrored(records: Iterable[Record]) -> tuple[Mirror, int, int]:
    """Return the tree that records tell of, how many matches named a node, and how many of them ended elsewhere."""
    mirror = Mirror()
    named = wrong = 0
    for record in records:
        mirror.apply(record)
        if isinstance(record, Match) and record.node > 0:
            node = mirror.nodes[record.node]
            named += 1
            wrong += node.start + node.length != record.device_hit_tokens
    return mirror, named, wrong


def mirror_shape(mirror: Mirror, id_: int = 0) -> Shape:
    """Return the shape of a mirror's tree below a node."""
    below: dict[int, list[int]] = {}
    for each in mirror.columns.slots():
        parent = mirror.columns.parent[each]
        if parent >= 0:
            below.setdefault(parent, []).append(each)

    def shape(slot: int) -> Shape:
        return [mirror.columns.length[slot], [shape(child) for child in below.get(slot, ())]]

    return _sorted(shape(id_))


def _sorted(node: Shape) -> Shape:
    return [node[0], sorted(map(_sorted, node[1]))]
