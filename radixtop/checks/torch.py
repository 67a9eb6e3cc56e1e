"""Whether a live workload can be served. torch is not imported, which would take seconds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from radixtop.check import Finding, Status, Subject

_CUDA = re.compile(r"^cuda\b[^=\n]*= *'([0-9.]{1,10})'", re.MULTILINE)
_MOST_CHARACTERS = 10_000


def check(subject: Subject) -> Iterator[Finding]:
    """Look for torch, and for what its files say it was built for."""
    found = find_spec("torch")
    if found is None:
        yield Finding(Status.MISSING, "torch", "not installed: no live workload", "pip install 'radixtop[live]'")
        return
    try:
        number = version("torch")
    except PackageNotFoundError:
        number = "of an unknown version"
    yield finding_of(number, _built_for([Path(place) for place in found.submodule_search_locations or ()]))


def finding_of(number: str, cuda: str | None) -> Finding:
    """Return what a torch of this version, built for that CUDA or none, is good for."""
    if cuda is None:
        return Finding(Status.OK, "torch", f"{number}, built for the CPU: --device cpu")
    return Finding(Status.OK, "torch", f"{number}, built for CUDA {cuda}")


def cuda_in(text: str) -> str | None:
    """Return the CUDA that the version file of torch names, None for none."""
    found = _CUDA.search(text)
    return found[1] if found else None


def _built_for(folders: list[Path]) -> str | None:
    for folder in folders:
        try:
            with open(folder / "version.py", encoding="utf-8", errors="replace") as file:
                return cuda_in(file.read(_MOST_CHARACTERS))
        except OSError:
            continue
    return None
