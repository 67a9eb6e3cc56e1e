"""One of SGLang's unified caches, with allocators but without the KV memory that they would hand out."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

from cache_core.bench.sglang.modules import Modules

_ROWS = 64
"""Requests that may be alive at once."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What a cache is made of. `window` is None for full attention alone."""

    page_size: int
    window: int | None
    full_slots: int
    swa_slots: int
    policy: str = "lru"
    context_tokens: int = 8_192
    kv_events: bool = False


@dataclass(frozen=True, slots=True)
class Built:
    """A cache, its slot allocator, and its rows: request -> position -> slot."""

    shape: Shape
    cache: Any
    allocator: Any
    rows: Any

    def free_slots(self) -> tuple[int, int]:
        """Return the free slots of both pools; without a window the second is that of the first."""
        if self.shape.window is None:
            free = int(self.allocator.available_size())
            return free, free
        return int(self.allocator.full_available_size()), int(self.allocator.swa_available_size())

    def nodes(self) -> int | None:
        """Return the tree's nodes; the rust core does not tell."""
        arena = getattr(self.cache.tree_core, "_node_arena", None)
        return None if arena is None else len(arena) - 1


def build(sglang: Modules, shape: Shape, core: str) -> Built:
    """Return an empty unified cache whose tree is written in `core`: python or rust."""
    with sglang.envs.SGLANG_UNIFIED_RADIX_TREE_CORE_BACKEND.override(core):
        built = build_as(sglang, shape, sglang.unified_cache)
    _require_core(built.cache, core)
    return built


def build_as(sglang: Modules, shape: Shape, cache_class: Any) -> Built:
    """Return an empty cache of one of SGLang's classes."""
    rows = sglang.token_rows(
        size=_ROWS, max_context_len=shape.context_tokens, device="cpu", enable_memory_saver=False
    )
    allocator = _single(sglang, shape) if shape.window is None else _paired(sglang, shape)
    components = (
        (sglang.components.FULL,) if shape.window is None else (sglang.components.FULL, sglang.components.SWA)
    )
    wanted: dict[str, Any] = {
        "disable": False,
        "req_to_token_pool": rows,
        "token_to_kv_pool_allocator": allocator,
        "page_size": shape.page_size,
        "eviction_policy": shape.policy,
        "enable_kv_cache_events": shape.kv_events,
        "sliding_window_size": shape.window,
        "tree_components": components,
    }
    known = signature(sglang.init_params).parameters
    cache = cache_class(sglang.init_params(**{name: wanted[name] for name in wanted if name in known}))
    return Built(shape, cache, allocator, rows)


def _single(sglang: Modules, shape: Shape) -> Any:
    common = {"size": shape.full_slots, "dtype": sglang.torch.bfloat16, "device": "cpu", "kvcache": None}
    if shape.page_size == 1:
        return sglang.token_allocator(**common, need_sort=False)
    return sglang.page_allocator(**common, page_size=shape.page_size, need_sort=False)


def _paired(sglang: Modules, shape: Shape) -> Any:
    """Return the allocator of full and window slots, on a pool object that never got its tensors."""
    sizes = {"size": shape.full_slots, "size_swa": shape.swa_slots, "page_size": shape.page_size}
    pool = object.__new__(sglang.paired_pool)
    for name, value in {
        **sizes,
        "full_to_swa_index_mapping": None,
        "full_kv_pool": None,
        "swa_kv_pool": None,
    }.items():
        setattr(pool, name, value)
    return sglang.paired_allocator(**sizes, dtype=sglang.torch.bfloat16, device="cpu", kvcache=pool, need_sort=False)


def _require_core(cache: Any, core: str) -> None:
    """Refuse a tree core that is not the one asked for: SGLang falls back to python in silence."""
    found = type(cache.tree_core).__module__
    if ("rust" in found) != (core == "rust"):
        raise RuntimeError(f"asked for the {core} tree core, SGLang took {found}")
