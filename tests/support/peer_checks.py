"""What a mirror must be when a cache has told everything: exactly what the cache itself holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from probes.kv.wire import Hash, decode
from probes.kv_feed.stream_file import StreamReader
from probes.kv_mirror.blocks import BlockMirror
from probes.kv_mirror.rank import RankMirror

Truth = dict[str, Any]
Held = dict[tuple[int, Hash], tuple[Hash | None, int]]
"""Group and name of a block -> the block above it, and its copies."""


def name_of(spoken: int | str) -> Hash:
    """Return a name that came as JSON."""
    return bytes.fromhex(spoken) if isinstance(spoken, str) else spoken


def held_by_sglang(truth: Truth) -> Held:
    """Return what a tree of SGLang holds; its events know one group."""
    return {(0, name): (above, copies) for name, above, copies in truth["blocks"]}


def held_by_vllm(truth: Truth, groups_are_told: bool) -> Held:
    """Return what a pool of vLLM holds; old versions tell of all groups as of one."""
    copies: Counter[tuple[int, Hash]] = Counter()
    above: dict[Hash, Hash | None] = {}
    for group, spoken, parent, count in truth["blocks"]:
        copies[group if groups_are_told else 0, name_of(spoken)] += count
        above[name_of(spoken)] = None if parent is None else name_of(parent)
    return {(group, name): (above[name], count) for (group, name), count in copies.items()}


def held_by(mirror: BlockMirror) -> Held:
    """Return what a mirror has on the device."""
    groups = sorted(place.group for place in mirror.places if place.tier == "device")
    return {
        (group, name): (mirror.parent(name), count)
        for group in groups
        for name, count in mirror.blocks("device", group)
    }


def told_in(path: Path) -> Iterator[tuple[int, RankMirror]]:
    """Follow a file of batches from its start; yield the number of each, and the mirror after it."""
    mirror = RankMirror()
    mirror.joined(0, 0)
    with StreamReader(path) as messages:
        for _, frames in messages:
            seq = int.from_bytes(frames[-2], "big")
            assert seq == mirror.last_seq + 1
            mirror.apply(seq, decode(frames[-1]), 0)
            yield seq, mirror


def foretold(mirror: BlockMirror, chain: list[Any]) -> int:
    """Return how many blocks of a prompt, from its first on, one would say are there."""
    for count, spoken in enumerate(chain):
        if not mirror.copies(name_of(spoken), "device"):
            return count
    return len(chain)


def assert_no_doubt(mirror: RankMirror) -> None:
    """A stream that was seen from its start on leaves nothing open.

    But for one thing: vLLM's second copies and its reports of whole prompts look alike, and are doubted.
    """
    assert mirror.badge.word == "complete" or mirror.blocks.retold, mirror.badge
    assert mirror.blocks.orphans == 0
    assert not mirror.skipped, mirror.skipped
