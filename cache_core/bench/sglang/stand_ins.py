"""Stand-ins for packages that SGLang imports at its top and its prefix caches never run.

A peer is often installed with `pip install --no-deps`: its caches need torch, numpy and a few small packages,
the rest of the engine dozens of large ones. `install` appends a finder for a list of names: whatever is really
installed is found before it and used.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence, Set
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

NAMES = frozenset(
    {
        "IPython", "PIL", "aiohttp", "anthropic", "apache_tvm_ffi", "blobfile", "build", "compressed_tensors",
        "cuda", "cutlass", "datasets", "decord", "decord2", "einops", "fastapi", "flash_attn", "flashinfer", "gguf",
        "grpc", "huggingface_hub", "interegular", "kernels", "llguidance", "mistral_common", "modelscope",
        "multipart", "nvidia", "openai", "openai_harmony", "opentelemetry", "outlines", "partial_json_parser",
        "prometheus_client", "psutil", "py_spy", "pybase64", "pydantic", "pynvml", "python_multipart", "quack",
        "requests", "safetensors", "scipy", "sentencepiece", "setproctitle", "sgl_kernel", "smg_grpc_servicer",
        "soundfile", "starlette", "tiktoken", "timm", "tokenizers", "torch_memory_saver", "torchao", "torchaudio",
        "torchcodec", "torchvision", "tqdm", "transformers", "triton", "tvm_ffi", "uvicorn", "uvloop", "vllm",
        "watchfiles", "xatlas", "xgrammar",
    }
)  # fmt: skip
"""What may be missing: the top-level modules of the engine's requirements that no prefix cache calls."""


class _Anything(type):
    """The type of stand-ins: each attribute, subscript and union of one is a stand-in, and it holds nothing."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(name)

    def __getitem__(cls, key: object) -> Any:
        return cls

    def __setitem__(cls, key: object, value: object) -> None:
        """Forget it."""

    def __contains__(cls, key: object) -> bool:
        return False

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __len__(cls) -> int:
        return 0

    def __or__(cls, other: object) -> Any:
        return cls

    def __ror__(cls, other: object) -> Any:
        return cls

    def __lt__(cls, other: object) -> bool:
        return False

    def __ge__(cls, other: object) -> bool:
        return False


def stand_in(name: str) -> Any:
    """Return a class that can be subclassed, called, subscripted and used as a decorator."""
    return _Anything(name, (), {"__new__": _new, "__call__": _called, "__getattr__": _attribute, **_INHERITED})


def _decorated(arguments: Sequence[Any], named: dict[str, Any]) -> Any:
    """Return the function that a stand-in was put on as a decorator, or None."""
    alone = len(arguments) == 1 and not named
    return arguments[0] if alone and callable(arguments[0]) and not isinstance(arguments[0], type) else None


def _new(cls: type, *arguments: Any, **named: Any) -> Any:
    function = _decorated(arguments, named)
    return object.__new__(cls) if function is None else function


def _called(self: object, *arguments: Any, **named: Any) -> Any:
    alone = len(arguments) == 1 and not named and callable(arguments[0])
    return arguments[0] if alone else self


def _attribute(self: object, name: str) -> Any:
    return getattr(type(self), name)


def _subclassed(cls: type, **named: Any) -> None:
    """Let a class derive from a stand-in with whatever keywords."""


def _schema(cls: type, source: object, handler: object) -> dict[str, str]:
    """Have pydantic take a stand-in for anything."""
    return {"type": "any"}


_INHERITED: dict[str, Any] = {
    "__init_subclass__": _subclassed,
    "__class_validators__": (),
    "__get_pydantic_core_schema__": classmethod(_schema),
}
"""What classes that derive from a stand-in are asked for; configuration classes are expected to have validators."""


class _StandInModule(ModuleType):
    """A module that has every name."""

    __version__ = "99.0.0"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        value = stand_in(name)
        setattr(self, name, value)
        return value


class _Finder(MetaPathFinder, Loader):
    """Finds the modules of some packages."""

    def __init__(self, names: Set[str]) -> None:
        self._names = names

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return a stand-in's spec for a module of one of the packages."""
        known = fullname.partition(".")[0] in self._names
        return ModuleSpec(fullname, self, is_package=True) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return an empty stand-in."""
        return _StandInModule(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """There is no code to run."""


def install(names: Set[str] = NAMES, first: bool = False) -> None:
    """Stand in, from now on, for those of some packages that are not installed; `first`, for those that are, too."""
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0 if first else len(sys.meta_path), _Finder(names))
