"""Torch is loaded by the engine itself and by nothing that merely describes one."""

from __future__ import annotations

import subprocess
import sys

import pytest


def _torch_is_loaded_by(statement: str) -> bool:
    code = f"import sys; {statement}; print('torch' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return printed.stdout.strip() == "True"


def test_describing_an_engine_needs_no_torch() -> None:
    assert not _torch_is_loaded_by("from cache_core.engine import EngineConfig; EngineConfig().shape")


@pytest.mark.needs("torch")
def test_the_engine_loads_torch() -> None:
    assert _torch_is_loaded_by("from cache_core.engine import Engine")
