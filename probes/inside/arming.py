"""Waits for an engine's cache: its class is met when its module is imported, the cache when it is constructed.

Until then nothing of an engine is imported and nothing else is wrapped: a launcher, a tokenizer or a worker that
never makes a cache never meets a probe.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from logging import getLogger
from types import ModuleType
from typing import Any

_being_made: set[int] = set()
"""Instances whose constructors run."""


@dataclass(frozen=True, slots=True)
class Target:
    """A class of an engine, and what takes its instances: "module:function" of ours.

    `prepare`, if there is one, takes an instance that is about to be made, and the arguments of that.
    """

    module: str
    name: str
    attach: str
    prepare: str = ""


_TREES = ("probes.inside.sglang:attach", "probes.inside.sglang:prepare")
_SGLANG = "sglang.srt.mem_cache."
_VLLM = "vllm.v1.core."
TARGETS = (
    Target(_SGLANG + "unified_radix_cache", "UnifiedRadixCache", *_TREES),
    Target(_SGLANG + "radix_cache", "RadixCache", *_TREES),
    Target(_SGLANG + "swa_radix_cache", "SWARadixCache", *_TREES),
    Target(_SGLANG + "mamba_radix_cache", "MambaRadixCache", *_TREES),
    Target(_SGLANG + "hiradix_cache", "HiRadixCache", *_TREES),
    Target(_VLLM + "kv_cache_manager", "KVCacheManager", "probes.inside.vllm:attach"),
)
"""Where the engines have their caches; a version that lacks a module never imports it."""


def arm(targets: Sequence[Target] = TARGETS) -> None:
    """Wait for these classes, those of modules that are loaded already included. Idempotent."""
    missing = []
    for target in targets:
        module = sys.modules.get(target.module)
        if module is None:
            missing.append(target)
        else:
            _arm_class(module, target)
    if missing and not any(isinstance(finder, _Watch) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Watch(missing))


class _Watch(MetaPathFinder):
    """Finds nothing itself: it has the modules it waits for looked at once they were executed."""

    def __init__(self, targets: Iterable[Target]) -> None:
        self._targets = {target.module: target for target in targets}

    def find_spec(self, fullname: str, path: Any, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec that the other finders find, with what we want to do afterwards."""
        wanted = self._targets.get(fullname)
        if wanted is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is self else finder.find_spec(fullname, path, target)
            if spec is not None:
                _do_after(spec, wanted)
                return spec
        return None


def _do_after(spec: ModuleSpec, target: Target) -> None:
    """Have the class armed after the module was executed; a loader that takes no change stays as it is."""
    loader: Any = spec.loader
    try:
        execute = loader.exec_module

        def execute_and_arm(module: ModuleType) -> None:
            execute(module)
            _arm_class(module, target)

        loader.exec_module = execute_and_arm
    except Exception as error:  # noqa: BLE001 - the import goes on
        _complain(f"{target.module} is not watched: {type(error).__name__}: {error}")


def _arm_class(module: ModuleType, target: Target) -> None:
    """Wrap the constructor of a class, so that what it makes is attached. Never raises."""
    try:
        owner = getattr(module, target.name, None)
        if not isinstance(owner, type) or getattr(owner.__dict__.get("__init__"), "_radixtop", False):
            return
        construct: Any = owner.__init__  # type: ignore[misc]  # to be replaced

        @functools.wraps(construct)
        def constructed(self: Any, *arguments: Any, **keywords: Any) -> None:
            if id(self) in _being_made:  # by the constructor of a class below, which is armed as well
                construct(self, *arguments, **keywords)
                return
            _being_made.add(id(self))
            try:
                if target.prepare:
                    _call(target.prepare, target, self, arguments, keywords)
                construct(self, *arguments, **keywords)
            finally:
                _being_made.discard(id(self))
            _call(target.attach, target, self)

        constructed._radixtop = True  # type: ignore[attr-defined]
        owner.__init__ = constructed  # type: ignore[misc]
    except Exception as error:  # noqa: BLE001 - the engine goes on
        _complain(f"{target.name} is not watched: {type(error).__name__}: {error}")


def _call(function: str, target: Target, *arguments: Any) -> None:
    """Call "module:function" of ours. Whatever it raises, the engine goes on."""
    try:
        module, _, name = function.partition(":")
        getattr(import_module(module), name)(*arguments)
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 - a Rust core's panic is no Exception
        _complain(f"this {target.name} is not watched: {type(error).__name__}: {error}")


def _complain(text: str) -> None:
    getLogger("radixtop").warning(text)
