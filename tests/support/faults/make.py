"""Makes recordings with planted faults, by the project's own engine.

python tests/support/faults/make.py FOLDER [--engine virtual|real] [--seed N] [--magnitude mild|clear|heavy]

One recording for each fault of the lab and for each healthy run, named after it; what `radixtop why` says of each is
printed beside what was planted. The real engine takes seconds for each, and torch (the extra `live`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.support.faults.causes import CAUSES, HEALTHY, MAGNITUDES, Magnitude, plant_of
from tests.support.faults.judge import verdict_of
from tests.support.faults.serving import write


def make(faults: Sequence[str], seed: int, magnitude: Magnitude, path: Path, *, real: bool = False) -> Path:
    """Write a recording with faults, or of the healthy run of a name, and return its file."""
    return write(plant_of(tuple(faults), seed, magnitude), path, real=real)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make them all; 1 if one of them is not told for what it is."""
    parser = argparse.ArgumentParser(prog="make.py", description="Recordings with planted faults.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--engine", choices=("virtual", "real"), default="virtual")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--magnitude", choices=MAGNITUDES, default="clear")
    parser.add_argument("--only", default="", help="names of faults, with commas")
    asked = parser.parse_args(arguments)
    asked.folder.mkdir(parents=True, exist_ok=True)
    names = asked.only.split(",") if asked.only else (*CAUSES, *HEALTHY)
    wrong = 0
    for name in names:
        path = asked.folder / f"{name}.rtrec"
        verdict = verdict_of(make((name,), asked.seed, asked.magnitude, path, real=asked.engine == "real"))
        is_right = verdict.names_first(CAUSES[name].finding) if name in CAUSES else not verdict.is_alarming
        wrong += not is_right
        print(f"{'ok   ' if is_right else 'WRONG'} {name:15} {verdict}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
