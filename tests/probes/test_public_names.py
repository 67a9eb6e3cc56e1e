"""The public names of the probes: all there, and loaded only when they are used."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

import pytest

import probes


@pytest.mark.parametrize("name", probes.__all__)
def test_a_public_name_is_that_of_its_module(name: str) -> None:
    assert getattr(probes, name) is getattr(import_module(f"probes.{probes._MODULES[name]}"), name)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Sampler'"):
        probes.Sampler  # type: ignore[attr-defined]  # noqa: B018


def test_a_recorder_does_not_load_what_reads_it() -> None:
    code = "import sys, probes; probes.FlightRecorder; print([name for name in sys.modules if 'mirror' in name])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
