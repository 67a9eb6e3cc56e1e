"""Row B15: two cores, one fixture."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cache_core.backend import BACKENDS

pytestmark = pytest.mark.one_backend("process")

ROOT = Path(__file__).parents[2]

CONFTEST = """
from cache_core.backend import BACKENDS
from tests.support.backends import *

BACKENDS._table["lacking"] = "cores:Lacking"
BACKENDS._table["wrong"] = "cores:Wrong"
"""

CORES = """
from types import MemberDescriptorType

from cache_core.backend import Backend
from cache_core.backends.naive import NaiveTree

has = {name: value for name, value in vars(NaiveTree).items() if not isinstance(value, MemberDescriptorType)}
Lacking = type("Lacking", (Backend,), {name: value for name, value in has.items() if name != "split"})

class Wrong(NaiveTree):
    def split(self, lower, length):
        return super().split(lower, len(lower.edge) - length)
"""

EXAMPLE = """
from cache_core import CacheConfig, PrefixCache, RadixKey

def test_a_prefix_is_hit():
    cache = PrefixCache(CacheConfig(components=("full",), full_slots=8))
    cache.insert(RadixKey([1, 2, 3, 4]), cache.allocate(4))
    assert cache.match(RadixKey([1, 2, 3])).node.length == 3
"""


def test_b15_every_test_runs_on_each_core_and_a_core_that_lacks_a_feature_fails(tmp_path: Path) -> None:
    for name, text in (("conftest.py", CONFTEST), ("cores.py", CORES), ("test_example.py", EXAMPLE)):
        (tmp_path / name).write_text(text)
    call = [sys.executable, "-m", "pytest", "-rA", "-p", "no:cacheprovider", "-c", "/dev/null", "."]
    paths = f"{ROOT}:{tmp_path}"
    done = subprocess.run(
        call, cwd=tmp_path, env={"PYTHONPATH": paths}, capture_output=True, text=True, timeout=60, check=False
    )
    found = {core: outcome for outcome, core in re.findall(r"^(\w+) \S+::\w+\[(\w+)\]", done.stdout, re.M)}
    assert found == dict.fromkeys(BACKENDS.names, "PASSED") | {"lacking": "FAILED", "wrong": "FAILED"}
    assert "skipped" not in done.stdout
