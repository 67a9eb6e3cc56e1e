"""Name tables: lazy, ordered, and helpful about a name they lack."""

from __future__ import annotations

import subprocess
import sys

import pytest

from cache_core.registry import Registry, UnknownNameError

pytestmark = pytest.mark.one_backend("no tree")

TABLE: Registry[type] = Registry("shape", {"ordered": "collections:OrderedDict", "counter": "collections:Counter"})


def test_a_name_loads_its_object() -> None:
    from collections import Counter

    assert TABLE.load("counter") is Counter


def test_names_keep_the_order_of_the_table() -> None:
    assert TABLE.names == tuple(TABLE) == ("ordered", "counter")


def test_a_table_knows_its_names() -> None:
    assert len(TABLE) == 2
    assert "counter" in TABLE
    assert "circle" not in TABLE


def test_an_unknown_name_lists_the_valid_ones() -> None:
    with pytest.raises(UnknownNameError, match="unknown shape 'circle'; choose from: ordered, counter"):
        TABLE.load("circle")


def test_nothing_is_imported_before_a_name_is_asked_for() -> None:
    code = (
        "import sys; from cache_core.registry import Registry; table = Registry('x', {'a': 'colorsys:rgb_to_hsv'});"
        "before = 'colorsys' in sys.modules; table.load('a'); print(before, 'colorsys' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "True"]
