"""Recorded streams of KV events, and what their engines really held at checkpoints."""

from __future__ import annotations

import gzip
import json
import lzma
import os
import struct
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from probes.kv.wire import Hash
from probes.kv_mirror.blocks import BlockMirror

CUTS = Path(__file__).parent.parent / "data" / "kv_streams"
MAGIC = b"RXKV\x01\0\0\0"
BROKEN = ("sglang_0.5.6_radix_page16", "sglang_0.5.1_radix_page4")
"""Streams of engines that told what was not so: nothing can be made of them but doubt."""

Checkpoint = dict[str, Any]


def names(folder: Path = CUTS) -> list[str]:
    """Return the streams of a folder that have a truth of their own."""
    found = sorted(path.name.removesuffix(".truth.json") for path in folder.glob("*.truth.json"))
    return [name for name in found if not name.startswith("derived")]


def whole_streams() -> Path:
    """Return the folder of the uncut streams."""
    return Path(os.environ["RADIXTOP_KV_STREAMS"])


def messages(name: str, folder: Path = CUTS) -> Iterator[tuple[int, bytes]]:
    """Return number and payload of each message of a stream."""
    path = next(folder.glob(f"{name}.bin.*"))
    raw = (gzip if path.suffix == ".gz" else lzma).open(path).read()
    assert raw.startswith(MAGIC)
    at = len(MAGIC)
    while at < len(raw):
        count, at, frames = raw[at + 8], at + 9, []
        for _ in range(count):
            (size,) = struct.unpack_from(">I", raw, at)
            frames.append(raw[at + 4 : at + 4 + size])
            at += 4 + size
        yield struct.unpack(">Q", frames[-2])[0], frames[-1]


def truth(name: str, folder: Path = CUTS) -> dict[str, Any]:
    """Return what is known of a stream's engine."""
    return dict(json.loads((folder / f"{name}.truth.json").read_text(encoding="utf-8")))


def checkpoints(name: str, folder: Path = CUTS) -> dict[int, Checkpoint]:
    """Return what the engine held, by the number of the batch after which it did; those with names alone."""
    found = truth(name, folder)
    return {each["after_seq"]: each for each in found["checkpoints"] if "sha256" in each or "gpu_sha256" in each}


def assert_holds(mirror: BlockMirror, checkpoint: Checkpoint, engine: str) -> None:
    """Compare a mirror with what the engine held."""
    if "gpu_sha256" in checkpoint:
        for tier, name in (("device", "gpu"), ("host", "cpu")):
            assert seen(mirror, engine, tier) == (checkpoint[f"{name}_blocks"], checkpoint[f"{name}_sha256"])
    else:
        assert seen(mirror, engine) == (checkpoint["blocks"], checkpoint["sha256"])


def seen(mirror: BlockMirror, engine: str, tier: str = "device") -> tuple[int, str]:
    """Return how many copies a tier has, and the digest of their names."""
    groups = sorted(place.group for place in mirror.places if place.tier == tier)
    return digest(
        engine, {group: [name for name, n in mirror.blocks(tier, group) for _ in range(n)] for group in groups}
    )


def digest(engine: str, copies: dict[int, list[Hash]]) -> tuple[int, str]:
    """Return the number of copies and the digest of their names, as the truth files have it."""
    total = sha256()
    for group, held in sorted(copies.items()):
        signed = [name - (1 << 64) if isinstance(name, int) and name >> 63 else name for name in held]
        for name in sorted(signed) if engine == "sglang" else sorted(held):
            prefix = b"" if engine == "sglang" else struct.pack(">I", group)
            total.update(prefix + (name if isinstance(name, bytes) else packed(name, engine)))
    return sum(map(len, copies.values())), total.hexdigest()


def packed(name: int, engine: str) -> bytes:
    """Return a name as eight bytes."""
    return struct.pack(">q" if engine == "sglang" else ">Q", name)
