"""Models by name: how much KV a token of theirs takes, and what they keep of it. Facts of others, not measurements.

    KV of a prompt   [ layers that keep everything: full_kv_bytes each token ............................ ]
                     [ layers with a window: none .......... ][ window_kv_bytes each token of the window ]

Figures are those of the catalogue of kvcache-simulator (retrieved 2026), gpt-oss and Gemma-3 from general pages. The
catalogue gives KV bytes per token for four lengths of context; every row is `full + window * min(window, context) /
context`, exactly, and that is what is kept here. What nobody stated is None.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from cache_core.registry import UnknownNameError
from profiles.cost_model import LLAMA_3_8B, CostModel


@dataclass(frozen=True, slots=True)
class ModelPreset:
    """What is known of a model. `layers` is how many it has.

    `mix` is how many layers keep everything, and how many keep a window or a state (`others`): counts, or with
    `mix_is_ratio` a ratio. KV bytes are one token's over all layers of the kind, of elements as `element` says.
    `page_size` and `swa_full_ratio` (window slots for each slot that keeps everything) are those that SGLang takes.
    """

    name: str
    full_kv_bytes: int | None = None
    window_kv_bytes: int | None = None
    window: int | None = None
    layers: int | None = None
    mix: tuple[int, int] | None = None
    mix_is_ratio: bool = False
    others: Literal["window", "state"] | None = None
    element: str = "bf16"
    page_size: int | None = None
    swa_full_ratio: float | None = None
    cost_model: CostModel | None = None

    def kv_bytes_per_token(self, context_tokens: int) -> float | None:
        """Return what a token takes on average in a context of some length, None when that is not known."""
        if self.full_kv_bytes is None or context_tokens < 1:
            return None
        if self.window is None or self.window_kv_bytes is None:
            return float(self.full_kv_bytes)
        return self.full_kv_bytes + self.window_kv_bytes * min(self.window, context_tokens) / context_tokens

    def slots(self, memory_bytes: int, swa_full_ratio: float | None = None) -> tuple[int, int] | None:
        """Return how many slots fit into memory: those that keep everything, and those of windows.

        There are `swa_full_ratio` of the latter for each of the former, without it as many as SGLang takes, or one.
        None when KV sizes are not known.
        """
        if self.full_kv_bytes is None:
            return None
        if self.window_kv_bytes is None:
            return memory_bytes // self.full_kv_bytes, 0
        ratio = swa_full_ratio if swa_full_ratio is not None else self.swa_full_ratio or 1.0
        full = int(memory_bytes / (self.full_kv_bytes + ratio * self.window_kv_bytes))
        return full, int(full * ratio)


_ALL = (
    ModelPreset("llama-3-8b", LLAMA_3_8B.kv_bytes_per_token, layers=LLAMA_3_8B.layers, cost_model=LLAMA_3_8B),
    ModelPreset("llama-3.1-8b", 131_072),
    ModelPreset(
        "deepseek-v4-flash", 3_104, 22_016, 128, layers=43, others="window", element="fp8, index fp4", page_size=256,
        swa_full_ratio=0.1,
    ),
    ModelPreset(
        "deepseek-v4-pro", 4_444, 31_232, 128, layers=61, others="window", element="fp8, index fp4", page_size=256,
        swa_full_ratio=0.1,
    ),
    ModelPreset("mimo-v2.5", 23_040, 199_680, 128, mix=(9, 39), others="window"),
    ModelPreset("mimo-v2.5-pro", 51_200, 307_200, 128, mix=(10, 60), others="window"),
    ModelPreset("gemma-4-31b", 81_920, 819_200, 1_024, mix=(10, 50), others="window"),
    ModelPreset("gemma-4-26b", 20_480, 204_800, 1_024, mix=(5, 25), others="window"),
    ModelPreset("gemma-4-e2b", window=512, mix=(3, 12), others="window"),
    ModelPreset("gemma-4-e4b", window=512, mix=(4, 20), others="window"),
    ModelPreset("gemma-3", window=1_024, mix=(1, 5), mix_is_ratio=True, others="window"),
    ModelPreset("command-a", 65_536, 196_608, 4_096, mix=(1, 3), mix_is_ratio=True, others="window"),
    ModelPreset("inkling", window=512, mix=(11, 55), others="window"),
    ModelPreset("dots3-note", window=512, mix=(13, 33), others="window"),
    ModelPreset("gpt-oss", window=128, mix=(1, 1), mix_is_ratio=True, others="window"),
    ModelPreset("olmo-3", mix=(1, 3), mix_is_ratio=True, others="window"),
    ModelPreset("qwen3.5", mix=(1, 3), mix_is_ratio=True, others="state"),
    ModelPreset("qwen3.6", mix=(1, 3), mix_is_ratio=True, others="state"),
    ModelPreset("kimi-k3", mix=(24, 69), others="state"),
    ModelPreset("kimi-k2.5", 70_272),
    ModelPreset("glm-5.2", 95_232),
)  # fmt: skip

PRESETS: Mapping[str, ModelPreset] = MappingProxyType({preset.name: preset for preset in _ALL})
"""Every model that is known, by its name."""


def preset_of(name: str) -> ModelPreset:
    """Return a model by its name, however it is capitalised. Raises UnknownNameError with those there are."""
    preset = PRESETS.get(name.lower())
    if preset is None:
        raise UnknownNameError(f"unknown model {name!r}; choose from: {', '.join(PRESETS)}")
    return preset
