"""What each layer may load, proved in fresh interpreters, and how large files and functions may grow."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("cache_core", "probes", "profiles", "radixtop")
MAX_LINES = 400
MAX_TEST_LINES = 600
MAX_FUNCTION_LINES = 60


def loaded_after(statement: str) -> set[str]:
    """Return the names of all modules in a fresh interpreter after `statement`."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=60, check=True)
    return set(ran.stdout.decode().split())


def lines_of(*folders: str) -> dict[Path, int]:
    """Return the length of every Python file below the folders."""
    files = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return {path.relative_to(ROOT): len(path.read_text().splitlines()) for path in files}


def functions_of(*folders: str) -> Iterator[tuple[str, int]]:
    """Yield the place and the length of every function in files below the folders with room for a long one."""
    for path in (ROOT / file for file, lines in lines_of(*folders).items() if lines > MAX_FUNCTION_LINES):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
                yield f"{path.relative_to(ROOT)}:{node.name}", node.end_lineno - node.lineno + 1


@pytest.mark.parametrize(
    ("statement", "absent"),
    [
        ("import cache_core", {"torch", "numpy", "asyncio", "multiprocessing", "ctypes", "textual", "rich", "typer"}),
        ("import probes, profiles", {"torch", "textual", "rich", "typer", "numpy", "zmq", "msgspec"}),
        ("import probes.kv.publisher, probes.kv_feed.feed", {"zmq", "msgspec", "asyncio"}),
        (
            "import probes.builtin.engine, probes.scrapes.scraper, probes.scrapes.source",
            {"prometheus_client", "http", "ssl", "numpy", "zmq"},
        ),
        ("import radixtop.app", {"torch", "typer", "zmq", "msgspec", "cache_core.engine.engine"}),
        ("import radixtop.cli", {"torch", "textual", "rich", "typer", "cache_core"}),
        ("import radixtop", {"torch", "textual", "rich", "typer", "cache_core", "probes"}),
        ("import radixtop.session", {"torch", "textual", "rich", "typer"}),
        ("import radixtop.commands.profile", {"torch", "textual", "rich", "numpy", "pyarrow"}),
        (
            "import radixtop.watch, radixtop.screenless.headless",
            {"prometheus_client", "radixtop.metrics.server", "profiles.metric"},
        ),
        (
            "import radixtop.commands.live, radixtop.commands.play",
            {"prometheus_client", "socketserver", "profiles.metric"},
        ),
    ],
)
def test_an_import_loads_nothing_it_should_not(statement: str, absent: set[str]) -> None:
    assert loaded_after(statement) & absent == set()


def test_no_file_outgrows_one_idea() -> None:
    assert {path: lines for path, lines in lines_of(*PACKAGES).items() if lines > MAX_LINES} == {}


def test_no_function_outgrows_one_screen() -> None:
    assert {place: lines for place, lines in functions_of(*PACKAGES, "tests") if lines > MAX_FUNCTION_LINES} == {}


def test_no_test_file_outgrows_its_ceiling() -> None:
    assert {path: lines for path, lines in lines_of("tests").items() if lines > MAX_TEST_LINES} == {}
