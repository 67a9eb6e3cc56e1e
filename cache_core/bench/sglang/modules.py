"""What is used of SGLang, imported once per process: two versions need two processes."""

from __future__ import annotations

import gc
import logging
import os
import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from cache_core.bench.sglang import stand_ins
from cache_core.bench.sglang.page_kernels import launch_decode, launch_extend

KNOWN = ("0.5.20", "0.5.23")
"""The versions whose interfaces this package knows."""

_COMPILED = "~/.cache/torch_extensions/sglang-{}"
"""Where what SGLang compiles at its first use is kept. Versions name it alike, and would each compile it anew."""


class PeerLoadError(Exception):
    """SGLang cannot be used here; says what is missing, where it was looked for, and what to do."""


@dataclass(frozen=True, slots=True)
class Modules:
    """The names used, all of the peer's interpreter; `checkpoints` marks the life of a request since 0.5.23."""

    version: str
    checkpoints: bool
    torch: Any
    envs: Any
    base: Any
    common: Any
    schedule: Any
    components: Any
    init_params: Any
    unified_cache: Any
    radix_key: Any
    token_rows: Any
    token_allocator: Any
    page_allocator: Any
    paired_allocator: Any
    paired_pool: Any
    sampling: Any


@cache
def load() -> Modules:
    """Import SGLang and return what is used of it. Raises PeerLoadError."""
    collects = gc.isenabled()
    gc.disable()  # what is imported stays: to look through it again and again takes a fifth of the time
    try:
        return _load()
    except PeerLoadError:
        raise
    except Exception as error:
        place = getattr(sys.modules.get("sglang"), "__file__", None) or f"sys.path of {sys.executable}"
        missing = f" (module {error.name})" if isinstance(error, ModuleNotFoundError) else ""
        raise PeerLoadError(
            f"SGLang cannot be imported{missing}: {type(error).__name__}: {error}; looked in {place}"
        ) from error
    finally:
        if collects:
            gc.enable()


def _load() -> Modules:
    warnings.filterwarnings("ignore")
    os.environ.setdefault("SGLANG_DISABLE_TORCH_COMPILE", "1")
    os.environ.setdefault("SGLANG_DEBUG_MEMORY_POOL", "0")
    stand_ins.install()
    torch: Any = import_module("torch")
    torch.set_num_threads(1)
    torch.compile = _as_it_is
    version = str(import_module("sglang").__version__)
    if version not in KNOWN:
        raise PeerLoadError(f"SGLang {version} is not known here; install one of {', '.join(KNOWN)}")
    os.environ.setdefault("TORCH_EXTENSIONS_DIR", os.path.expanduser(_COMPILED.format(version)))
    logging.disable(logging.WARNING)
    _serve_nobody()
    memory = "sglang.srt.mem_cache."
    paged: Any = import_module(memory + "allocator.paged")
    paged.alloc_extend_kernel, paged.alloc_decode_kernel = _Launched(launch_extend), _Launched(launch_decode)
    common = import_module(memory + "common")
    return Modules(
        version=version,
        checkpoints=hasattr(common, "checkpoint_kv_cache"),
        torch=torch,
        envs=import_module("sglang.srt.environ").envs,
        base=import_module(memory + "base_prefix_cache"),
        common=common,
        schedule=import_module("sglang.srt.managers.schedule_batch"),
        components=import_module(memory + "unified_cache.component_type").ComponentType,
        init_params=import_module(memory + "cache_init_params").CacheInitParams,
        unified_cache=import_module(memory + "unified_radix_cache").UnifiedRadixCache,
        radix_key=import_module(memory + "radix_cache").RadixKey,
        token_rows=import_module(memory + "memory_pool").ReqToTokenPool,
        token_allocator=import_module(memory + "allocator").TokenToKVPoolAllocator,
        page_allocator=paged.PagedTokenToKVPoolAllocator,
        paired_allocator=import_module(memory + "allocator.swa").SWATokenToKVPoolAllocator,
        paired_pool=import_module(memory + "swa_memory_pool").SWAKVPool,
        sampling=import_module("sglang.srt.sampling.sampling_params").SamplingParams,
    )


def _serve_nobody() -> None:
    """Give SGLang the server settings that its classes read, for a server that never starts."""
    settings = import_module("sglang.srt.server_args")
    settings.set_global_server_args_for_scheduler(settings.ServerArgs(model_path="none", page_size=1))


def _as_it_is(model: Any = None, **options: Any) -> Any:
    """Stand for torch.compile: nothing here is worth a compiler that may not be installed."""
    return (lambda function: function) if model is None else model


class _Launched:
    """Makes a function launch like a GPU kernel: `kernel[grid](...)`."""

    def __init__(self, function: Callable[..., None]) -> None:
        self._function = function

    def __getitem__(self, grid: object) -> Callable[..., None]:
        return self._function
