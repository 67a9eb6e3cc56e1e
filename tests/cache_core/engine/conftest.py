"""What the engine's tests share: a model small enough to run hundreds of times, and the checked engine."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from cache_core import CacheConfig
from cache_core.control import build
from cache_core.engine import SHAPES, EngineConfig, ModelShape

if TYPE_CHECKING:
    from tests.support.checked_engine import CheckedEngine


@pytest.fixture
def on_each_backend() -> None:
    """The engine is tested on the default backend alone."""


NANO = ModelShape("nano", vocabulary=256, hidden=48, layers=4, heads=4, kv_heads=2, head_width=16, mlp=64)


@pytest.fixture(autouse=True)
def nano(monkeypatch: pytest.MonkeyPatch) -> ModelShape:
    """Add the model "nano" to the sizes."""
    monkeypatch.setitem(SHAPES, "nano", NANO)
    return NANO


@pytest.fixture
def checked() -> Callable[..., CheckedEngine]:
    """Return a maker of checked engines: the cache by name, its settings, and those of the engine."""

    def make(
        *,
        kind: str = "prefix",
        chunk_size: int = 32,
        concurrency: int = 4,
        seed: int = 0,
        schedule: str = "fcfs",
        **settings: object,
    ) -> CheckedEngine:
        from tests.support.checked_engine import CheckedEngine

        cache = build(kind, CacheConfig(**settings))  # type: ignore[arg-type]
        config = EngineConfig("nano", chunk_size=chunk_size, concurrency=concurrency, seed=seed, schedule=schedule)
        return CheckedEngine(cache, config, seed)

    return make
