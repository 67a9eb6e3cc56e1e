"""Runs in an interpreter that has RadixView 0.1.0 and nothing of ours: follows payloads with its own handler.

    PYTHON radixview_peer.py FILE FILLING

FILE holds payloads, each behind its length (u32, big-endian); the first FILLING of them fill the tree.
"""

import json
import logging
import struct
import sys
import time
import tracemalloc
from importlib import import_module
from pathlib import Path


def payloads(path: Path) -> list[bytes]:
    """Return the payloads of a file."""
    raw, at, found = path.read_bytes(), 0, []
    while at < len(raw):
        (size,) = struct.unpack_from(">I", raw, at)
        found.append(raw[at + 4 : at + 4 + size])
        at += 4 + size
    return found


def main(path: str, filling: str) -> None:
    """Print what a block costs RadixView: to be followed, to be seen after one change, and in memory."""
    follow = import_module("radixview.subscribe")._handle
    tree = import_module("radixview.tree").CacheTree()
    logging.disable(logging.CRITICAL)
    read, first = payloads(Path(path)), int(filling)
    numbers: dict[int, int] = {}
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for number, payload in enumerate(read[:first]):
        follow([b"", number.to_bytes(8, "big"), payload], 0, numbers, None, tree)
    blocks = len(tree._blocks)
    held_bytes = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    began = time.perf_counter_ns()
    for number, payload in enumerate(read[first:], first):
        follow([b"", number.to_bytes(8, "big"), payload], 0, numbers, None, tree)
    followed = time.perf_counter_ns() - began
    began = time.perf_counter_ns()
    tree.snapshot()
    seen = time.perf_counter_ns() - began
    told = {
        "blocks": blocks,
        "ns_follow": followed,
        "ns_view": seen,
        "bytes_per_block": held_bytes / max(1, blocks),
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
