"""Where the model runs: the device and the number type behind the words of the command line."""

from __future__ import annotations

import torch

from cache_core.engine.config import EngineConfig
from cache_core.errors import ConfigError

_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def resolve_device(name: str) -> torch.device:
    """Return the device for "auto", "cpu" or "cuda". Raises ConfigError for "cuda" without one."""
    has_cuda = torch.cuda.is_available()
    if name == "cuda" and not has_cuda:
        raise ConfigError("device 'cuda' was asked for but torch sees no CUDA device; use 'cpu' or 'auto'")
    if name == "auto":
        name = "cuda" if has_cuda else "cpu"
    return torch.device(name)


def resolve_dtype(name: str | None, device: torch.device) -> torch.dtype:
    """Return the number type by name, or the device's own: bfloat16 on CUDA, float32 on a CPU."""
    if name is None:
        return torch.bfloat16 if device.type == "cuda" else torch.float32
    return _DTYPES[name]


def prepare(config: EngineConfig) -> tuple[torch.device, torch.dtype]:
    """Return device and number type of `config`; on a CPU, set the threads of the whole process."""
    device = resolve_device(config.device)
    if device.type == "cpu" and config.threads is not None and torch.get_num_threads() != config.threads:
        torch.set_num_threads(config.threads)
    return device, resolve_dtype(config.dtype, device)
