"""A test that cannot run here is taken out, counted, and named with its reason; nothing else may leave tests out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

EXAMPLE = """
import pytest

def test_that_runs():
    assert True

@pytest.mark.needs("traces")
def test_with_traces():
    assert False, "it ran without its traces"
"""


def run_example(folder: Path, *options: str, source: str = EXAMPLE, **environment: str) -> str:
    """Run a test file under our conftest in a process of its own and return what pytest printed."""
    (folder / "conftest.py").write_text((TESTS / "conftest.py").read_text())
    (folder / "test_example.py").write_text(source)
    call = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-c",
        "/dev/null",
        *options,
        "test_example.py",
    ]
    done = subprocess.run(call, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_a_test_whose_need_is_unmet_is_counted_with_its_reason(tmp_path: Path, options: tuple[str, ...]) -> None:
    printed = run_example(tmp_path, *options)
    assert "not run: 1 (1 because RADIXTOP_TRACES names no folder of request traces)" in printed
    assert "1 passed" in printed


def test_a_test_whose_need_is_met_runs(tmp_path: Path) -> None:
    printed = run_example(tmp_path, RADIXTOP_TRACES=str(tmp_path))
    assert "not run: 0" in printed
    assert "it ran without its traces" in printed


def test_an_unknown_need_is_a_mistake(tmp_path: Path) -> None:
    printed = run_example(tmp_path, source=EXAMPLE.replace('"traces"', '"luck"'))
    assert "needs 'luck'; known are torch, cuda, traces" in printed


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    banned = re.compile(r"pytest\.(mark\.)?(skip|skipif|xfail|importorskip)\b|unittest\.skip")
    found = [path.name for path in TESTS.rglob("*.py") if path != Path(__file__) and banned.search(path.read_text())]
    assert found == []
