"""The recorded pages of metrics, and short ways to make one and to read it."""

from __future__ import annotations

import lzma
from pathlib import Path

from probes.scrapes.figures import EngineFigures
from probes.scrapes.metric import ENGINES
from probes.scrapes.page import read_page
from probes.scrapes.reading import Origin, read_figures

FOLDER = Path(__file__).parents[1] / "data" / "metrics"
PAIRS = {"sglang_0.5.23": "sglang", "vllm_0.33.0": "vllm", "vllm_0.12.0": "vllm"}
"""The recorded servers, and what engine each is."""

S = 1_000_000_000


def recorded_page(name: str) -> str:
    """Return a recorded page, such as vllm_0.33.0_t1."""
    return lzma.decompress((FOLDER / f"{name}.txt.xz").read_bytes()).decode()


def figures_of(
    text: str, engine: str, at: int = 0, dp_ranks: int | None = None, tp_ranks: int | None = None
) -> dict[int, EngineFigures]:
    """Return what a page tells of each rank."""
    metrics = ENGINES.load(engine)
    page = read_page(text, metrics.wanted)
    return {each.rank: each for each in read_figures(page, metrics, Origin("here", dp_ranks, tp_ranks), at)}


def figures(text: str, engine: str = "sglang", at: int = 0, tp_ranks: int | None = None) -> EngineFigures:
    """Return what a page of a server with one rank tells."""
    (only,) = figures_of(text, engine, at, tp_ranks=tp_ranks).values()
    return only


def recorded_pair(name: str, apart_s: int = 10) -> tuple[EngineFigures, EngineFigures]:
    """Return what the two scrapes of a recorded server tell, the first at 1 s of the clock."""
    engine = PAIRS[name]
    first, second = (figures(recorded_page(f"{name}_t{which}"), engine) for which in (0, 1))
    return first._replace(at=S), second._replace(at=(1 + apart_s) * S)


def line(name: str, value: object, **labels: object) -> str:
    """Return a line of a page; the name is that on the wire without its engine."""
    told = ",".join(f'{label}="{text}"' for label, text in labels.items())
    return f"{name}{{{told}}} {value}" if told else f"{name} {value}"


def lines(*several: str) -> str:
    """Return a page of lines."""
    return "\n".join(several) + "\n"
