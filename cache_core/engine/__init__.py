"""The model that serves a live workload through a cache. `Engine` loads torch when it is first asked for."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from cache_core.engine.config import EngineConfig
from cache_core.engine.generation import Finished, GenerateRequest
from cache_core.engine.shape import SHAPES, ModelShape

if TYPE_CHECKING:
    from cache_core.engine.engine import Engine

__all__ = ["SHAPES", "Engine", "EngineConfig", "Finished", "GenerateRequest", "ModelShape"]

# torch says so once when numpy is not installed; nothing here needs it.
warnings.filterwarnings("ignore", message="Failed to initialize NumPy")


def __getattr__(name: str) -> object:
    """Import the engine, and torch with it, on first use."""
    if name != "Engine":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from cache_core.engine.engine import Engine

    return Engine
