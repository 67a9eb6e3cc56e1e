"""The public names of the core: all there, and loaded only when they are used."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cache_core

pytestmark = pytest.mark.one_backend("process")


@pytest.mark.parametrize("name", cache_core.__all__)
def test_a_public_name_is_there(name: str) -> None:
    assert getattr(cache_core, name).__name__ == name


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Cache'"):
        cache_core.Cache  # type: ignore[attr-defined]  # noqa: B018


def test_reading_records_does_not_load_the_cache() -> None:
    code = "import sys, cache_core.events; print([name for name in sys.modules if name.startswith('cache_core.')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['cache_core.reasons', 'cache_core.events']"
