"""Speedscope: the app of the npm package, which needs no server."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.chromium import Chromium, Tab
from tests.support.perfetto import WEBGL


def find_speedscope() -> Path | None:
    """Return the folder of the released app that RADIXTOP_SPEEDSCOPE names."""
    named = os.environ.get("RADIXTOP_SPEEDSCOPE")
    return Path(named) if named and (Path(named) / "index.html").exists() else None


@contextmanager
def opened(export: Path, folder: Path, size: tuple[int, int] = (1400, 900)) -> Iterator[Tab]:
    """Yield the app with an export in it, as it opens one whose name it knows; `folder` takes a script for it.

    Raises AssertionError when the app does not know the format or finds nothing in it.
    """
    app = find_speedscope()
    assert app is not None, "no speedscope here"
    script = folder / "profile.js"
    loaded = (json.dumps(export.name), json.dumps(b64encode(export.read_bytes()).decode()))
    script.write_text(f"speedscope.loadFileFromBase64({', '.join(loaded)})")
    with Chromium(*WEBGL, "--allow-file-access-from-files") as chromium:
        tab = chromium.open(f"{(app / 'index.html').as_uri()}#localProfilePath={script.resolve()}", *size)
        tab.wait_for("document.querySelector('canvas') || document.title.includes('speedscope -')")
        yield tab
