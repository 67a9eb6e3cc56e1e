"""Every test of the tree on every backend: whatever a cache asks for, it gets the one under test.

A folder of such tests imports `backend`, `on_each_backend` and `pytest_generate_tests` into its conftest. No test
names a backend, so none leaves one out by mistake. A test that would say nothing new of another backend says why:
`@pytest.mark.one_backend("cost")`. It runs on the first entry of the table alone, and is counted at the end.
"""

from __future__ import annotations

import pytest

from cache_core import cache
from cache_core.backend import BACKENDS, Backend
from cache_core.registry import Registry

REASONS = {
    "cost": "it asserts what an operation costs, or how much is kept for it",
    "driver": "it asserts what random drivers come across",
    "evictor": "it compares victim queues, which know no tree",
    "model": "it runs a model, and the cache below it on the default backend",
    "no tree": "it builds no cache, or one with a table of its own",
    "process": "it runs processes of its own",
    "size": "it takes more siblings than a slow backend can look through",
}
"""Why a test runs on one backend alone."""


def backends_of(marks: list[pytest.Mark]) -> tuple[str, ...]:
    """Return the backends that a test with these marks runs on."""
    for mark in marks:
        if mark.name == "one_backend":
            if mark.args[0] not in REASONS:
                raise pytest.UsageError(f"one_backend({mark.args[0]!r}): known reasons are {', '.join(REASONS)}")
            return BACKENDS.names[:1]
    return BACKENDS.names


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test once per backend."""
    if "backend" in metafunc.fixturenames:
        names = backends_of(list(metafunc.definition.iter_markers()))
        metafunc.parametrize("backend", names, indirect=True)


@pytest.fixture
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[Backend]:
    """Make every cache of the test keep its nodes in one backend, and return that."""
    chosen = BACKENDS.load(request.param)
    give_everybody(chosen, monkeypatch)
    return chosen


@pytest.fixture(autouse=True)
def on_each_backend(backend: type[Backend]) -> None:
    """Ask for `backend` on behalf of every test of a folder."""


def give_everybody(chosen: type[Backend], monkeypatch: pytest.MonkeyPatch) -> None:
    """Put one backend behind every name that a cache may ask for."""
    place = f"{chosen.__module__}:{chosen.__qualname__}"
    monkeypatch.setattr(cache, "BACKENDS", Registry("backend", dict.fromkeys(BACKENDS.names, place)))
