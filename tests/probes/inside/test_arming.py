"""Waiting for an engine's cache: nothing is imported for it, and it is attached as soon as it is made."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from probes.inside.arming import Target, arm

ATTACHED: list[object] = []
"""What was attached; `attach` is named by targets below."""

SOURCE = """
class Cache:
    def __init__(self, size):
        if size < 0:
            raise ValueError(size)
        self.size = size

class Hybrid(Cache):
    def __init__(self, size):
        super().__init__(size)
        self.is_hybrid = True
"""


def attach(cache: object) -> None:
    ATTACHED.append(cache)


def explode(cache: object) -> None:
    raise BaseException("ours")


@pytest.fixture
def engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module that nobody has imported yet, and `attach` where a target can name it."""
    name = f"engine_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    ours = ModuleType("radixtop_test_attach")
    ours.attach, ours.explode = attach, explode  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, ours.__name__, ours)
    finders = list(sys.meta_path)
    ATTACHED.clear()
    yield name
    sys.meta_path[:] = finders
    sys.modules.pop(name, None)


def target(engine: str, function: str = "attach") -> Target:
    return Target(engine, "Cache", f"radixtop_test_attach:{function}")


def test_a_cache_is_attached_once_its_module_is_imported_and_it_is_made(engine: str) -> None:
    arm([target(engine)])
    assert engine not in sys.modules
    cache = importlib.import_module(engine).Cache(3)
    assert cache.size == 3 and [cache] == ATTACHED


def test_a_module_that_is_there_already_is_armed_at_once_and_only_once(engine: str) -> None:
    module = importlib.import_module(engine)
    for _ in range(2):
        arm([target(engine)])
    assert ATTACHED == [] and module.Cache(1) in ATTACHED and len(ATTACHED) == 1


def test_a_subclass_is_attached_as_well(engine: str) -> None:
    arm([target(engine)])
    hybrid = importlib.import_module(engine).Hybrid(1)
    assert [hybrid] == ATTACHED and hybrid.is_hybrid


def test_a_constructor_that_raises_raises(engine: str) -> None:
    arm([target(engine)])
    with pytest.raises(ValueError, match="-1"):
        importlib.import_module(engine).Cache(-1)
    assert ATTACHED == []


def test_an_error_of_ours_is_told_in_the_log_alone(engine: str, caplog: pytest.LogCaptureFixture) -> None:
    arm([target(engine, "explode")])
    assert importlib.import_module(engine).Cache(1).size == 1
    assert "this Cache is not watched: BaseException: ours" in caplog.text


def test_a_module_without_the_class_is_left_alone(engine: str) -> None:
    arm([Target(engine, "Elsewhere", "radixtop_test_attach:attach")])
    importlib.import_module(engine).Cache(1)
    assert ATTACHED == []


def test_a_module_that_does_not_exist_is_still_not_found(engine: str) -> None:
    arm([Target(f"{engine}_gone", "Cache", "radixtop_test_attach:attach")])
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"{engine}_gone")
