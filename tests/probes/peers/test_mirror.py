"""After 10,000 operations on an engine's own cache, what its events told is what it holds.

SGLang tells of full attention alone, and of namespaces that share the names of blocks as of copies. So blocks, their
parents and copies are compared exactly, windows cannot be; by how much the events promise more than is reused is
printed at the end of the run. vLLM tells of each group of its cache, from 0.20 on by number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.peer_checks import (
    Held,
    Truth,
    assert_no_doubt,
    foretold,
    held_by,
    held_by_sglang,
    held_by_vllm,
    told_in,
)
from tests.support.peer_process import Engine, Life, PeerOf, PeerProcess, sglang_engines, vllm_engines

PARTS = (4_000, 3_000, 3_000)
FEWER = (1_000, 1_000, 1_000)
"""Where each operation is dear, and others of the same core do all of them."""
Note = Callable[[str, object], None]


@dataclass(frozen=True, slots=True)
class Shape:
    """A cache of SGLang; the window is in pages. `only` are the versions that have it, none for all.

    `parts` are the operations before each comparison.
    """

    kind: str
    core: str
    page: int
    pages: int
    window: int | None = None
    only: str = ""
    parts: tuple[int, ...] = PARTS

    def __str__(self) -> str:
        return f"{self.kind}-{self.core}{'-window' if self.window else ''}-page{self.page}"

    @property
    def order(self) -> dict[str, Any]:
        """What to ask a peer for."""
        return {name: getattr(self, name) for name in ("kind", "core", "page", "pages", "window")}


ALWAYS = (
    Shape("unified", "python", 1, 400, window=2, only="0.5.20", parts=FEWER),
    Shape("unified", "rust", 16, 120, only="0.5.20"),
    Shape("unified", "python", 16, 120, only="0.5.23"),
    Shape("unified", "rust", 1, 400, window=3, only="0.5.23"),
)
"""Every version and core, with and without windows, pages of one and of many: within seconds."""

REST = (
    *(
        Shape("unified", core, page, pages, window)
        for core in ("python", "rust")
        for page, pages in ((1, 400), (16, 120))
        for window in (None, 3)
    ),
    Shape("radix", "python", 1, 400),
    Shape("radix", "python", 16, 120),
    Shape("swa", "python", 1, 400, window=3, only="0.5.20"),
    Shape("swa", "python", 16, 120, window=3, only="0.5.20"),
)


def drive(life: Life, parts: Sequence[int] = PARTS) -> list[Truth]:
    """Do the operations of all parts; return what the cache held after each."""
    truths, done = [], 0
    for operations in parts:
        done = sum(life.ask("run", operations=operations)["operations"].values())
        truths.append(life.ask("truth"))
    life.ask("end")
    assert done >= sum(parts)
    return truths


def compare(path: Path, truths: list[Truth], held: Callable[[Truth], Held]) -> list[tuple[int, int]]:
    """Compare mirror and cache at each moment; return for the last what is foretold of prompts, and what is so."""
    wanted = {truth["after"]: truth for truth in truths}
    looks: list[tuple[int, int]] = []
    for seq, mirror in told_in(path):
        if seq in wanted:
            truth = wanted.pop(seq)
            assert held_by(mirror.blocks) == held(truth)
            assert_no_doubt(mirror)
            looks = [(foretold(mirror.blocks, chain), real) for chain, real, *_ in truth["looks"]]
    assert not wanted and looks
    return looks


def follow_sglang(peer: PeerProcess, shape: Shape, path: Path, note: Note) -> None:
    version = peer.about["version"]
    with peer.begin(**shape.order, seed=7, file=str(path)) as life:
        truths = drive(life, shape.parts)
    for truth in truths:
        assert sum(copies for *_, copies in truth["blocks"]) == truth["size"] > 20
        assert truth["walked"] in (None, truth["blocks"])
    assert (truths[-1]["walked"] is None) == (shape.core == "rust")
    told, real = map(sum, zip(*compare(path, truths, held_by_sglang), strict=True))
    assert told * shape.page >= real > 0
    over = f"{told * shape.page / real - 1:+.0%} tokens foretold by events, against what is reused"
    note("peer_note", f"sglang {version} {shape}: {over}")


def cases(shapes: Sequence[Shape]) -> pytest.MarkDecorator:
    """Try shapes on the versions that have them."""
    found = [
        pytest.param(engine, shape, id=f"{engine.peer.name}-{shape}")
        for engine in sglang_engines()
        for shape in shapes
        if shape.only in ("", engine.version)
    ]
    return pytest.mark.parametrize(("engine", "shape"), found)


@pytest.mark.needs("peers")
@cases(ALWAYS)
def test_the_mirror_of_sglang_is_its_tree(
    peer_of: PeerOf, engine: Engine, shape: Shape, tmp_path: Path, record_property: Note
) -> None:
    follow_sglang(peer_of(engine), shape, tmp_path / "events", record_property)


@pytest.mark.needs("peers", "all-peers")
@cases(REST)
def test_the_mirror_of_every_cache_of_sglang_is_its_tree(
    peer_of: PeerOf, engine: Engine, shape: Shape, tmp_path: Path, record_property: Note
) -> None:
    follow_sglang(peer_of(engine), shape, tmp_path / "events", record_property)


@pytest.mark.needs("vllm-peer")
@pytest.mark.parametrize(("hashes", "window", "page"), [("ints", None, 16), ("bytes", 3, 4)])
@pytest.mark.parametrize("engine", vllm_engines(), ids=str)
def test_the_mirror_of_vllm_is_its_block_pool(
    peer_of: PeerOf, engine: Engine, hashes: str, window: int | None, page: int, tmp_path: Path, record_property: Note
) -> None:
    path, peer = tmp_path / "events", peer_of(engine)
    version = peer.about["version"]
    with peer.begin(hashes=hashes, page=page, pages=120, window=window, seed=7, file=str(path)) as life:
        truths = drive(life)
    groups_are_told = version != "0.12.0"
    looks = compare(path, truths, lambda truth: held_by_vllm(truth, groups_are_told))
    if window is None:  # the last token of a prompt is computed anew, so its block is not reused
        lengths = [length for *_, length in truths[-1]["looks"]]
        for (told, real), length in zip(looks, lengths, strict=True):
            assert min(told, (length - 1) // page) * page == real
    told, real = map(sum, zip(*looks, strict=True))
    assert told * page >= real > 0
    kind = f"full and window, {hashes}" if window else f"full, {hashes}"
    over = f"{told * page / real - 1:+.0%} tokens foretold by events, against what is reused"
    record_property("peer_note", f"vllm {version} {kind}: {over}")
