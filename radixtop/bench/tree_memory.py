"""What a node of a large tree takes in the memory of the process that shows it."""

from __future__ import annotations

import random
import tracemalloc

from radixtop.bench.tree_screen import planted


def bytes_per_node(nodes: int) -> float:
    """Return the bytes that the mirror of a chat load of so many nodes takes for each."""
    tracemalloc.start()
    try:
        mirror = planted("chat", nodes, random.Random(1))
        taken_bytes, _ = tracemalloc.get_traced_memory()
        return taken_bytes / len(mirror.nodes)
    finally:
        tracemalloc.stop()
