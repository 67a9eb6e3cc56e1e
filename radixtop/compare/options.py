"""The flags of `radixtop compare` besides those of a replay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from profiles.picture import PICTURES
from radixtop.compare.engine import SWEEP_ENGINES
from radixtop.options import choice

Source = Annotated[
    Path, typer.Argument(metavar="TRACE|RECORDING", help="A file of requests, or of `record`: it brings its cache.")
]
Vary = Annotated[
    list[str],
    typer.Option(
        "--vary",
        metavar="KEY=A,B,...",
        help="A setting and its values; several make every combination. Sizes: 100k, 2x, half, 25%, 20GiB. "
        "With full_slots, pools that are not varied keep their ratio to it.",
    ),
]
Curve = Annotated[bool, typer.Option("--curve", help="The hit rate of LRU by size, from one pass.")]
Sample = Annotated[
    float | None,
    typer.Option(
        "--sample",
        metavar="RATE",
        min=1e-5,
        max=1,
        help="With --curve: estimate from such a share of the blocks.",
    ),
]
References = Annotated[
    bool, typer.Option("--references/--no-references", help="The optimum, the ceiling and the controls, too.")
]
Engine = Annotated[str, choice("--engine", SWEEP_ENGINES, "Where the passes run.")]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", min=1, max=4096, help="Passes at a time: one a core.")
]
Address = Annotated[
    str | None,
    typer.Option("--address", metavar="ADDR", help="With --engine ray: of a cluster that runs; else one is started."),
]
Output = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar=f"FILE.{'|'.join(PICTURES)}", help="Draw a picture besides."),
]
