"""The entry point that engines load: inert unless asked, and never a reason for an engine not to start."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from probes.inside import plugin

ROOT = Path(__file__).parents[3]
PROGRAM = """
import sys
from probes.inside import plugin
before = set(sys.modules)
plugin.load()
print(*sorted(name for name in set(sys.modules) - before if name.split(".")[0] in {names}))
print(sum(type(finder).__module__.startswith("probes") for finder in sys.meta_path))
"""


def loaded(value: str) -> list[str]:
    """Return our modules that the entry point loads in a fresh interpreter, and how many of our finders are there."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(names=("probes", "cache_core", "radixtop", "torch", "numpy"))],
        cwd=ROOT, env={**os.environ, "RADIXTOP_PROBE": value}, capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    return ran.stdout.splitlines()


@pytest.mark.parametrize("value", ["", "0"])
def test_without_the_switch_nothing_is_loaded(value: str) -> None:
    assert loaded(value) == ["", "0"]


def test_with_the_switch_it_waits_for_caches_and_loads_nothing_heavy() -> None:
    assert loaded("1") == ["probes.inside.arming", "1"]


def test_an_error_of_ours_does_not_reach_the_engine(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv(plugin.SWITCH, "1")
    monkeypatch.setattr(plugin, "_arm", lambda: 1 / 0)
    plugin.load()
    assert "radixtop watches nothing in this process: ZeroDivisionError" in caplog.text


@pytest.mark.parametrize("group", ["sglang.srt.plugins", "vllm.general_plugins"])
def test_both_engines_find_it(group: str) -> None:
    text = (ROOT / "pyproject.toml").read_text()
    assert f'[project.entry-points."{group}"]\nradixtop = "probes.inside.plugin:load"' in text
    found = [entry for entry in entry_points(group=group) if entry.name == "radixtop"]
    assert all(entry.load() is plugin.load for entry in found)
