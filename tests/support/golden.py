"""Texts that were looked at once and must stay as they are."""

from __future__ import annotations

import os
from pathlib import Path

ACCEPT = "RADIXTOP_ACCEPT_GOLDENS"
"""Set this in the environment to write what the tests see; read the diff before you commit it."""


def assert_golden(text: str, path: Path) -> None:
    """Compare `text` with the file, or write the file when asked to."""
    if os.environ.get(ACCEPT):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    assert path.exists(), f"no {path.name}: set {ACCEPT}=1 to write it"
    assert text + "\n" == path.read_text(encoding="utf-8"), f"{path.name} differs; {ACCEPT}=1 accepts it"
