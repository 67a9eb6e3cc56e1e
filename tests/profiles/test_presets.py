"""Models by name: their KV sizes are those of the catalogue, at every length of context that it gives."""

from __future__ import annotations

import pytest

from cache_core.registry import UnknownNameError
from profiles.presets import PRESETS, preset_of

CONTEXTS = (1_024, 8_192, 32_768, 131_072)

CATALOGUE = {
    "gemma-4-31b": (901_120, 184_320, 107_520, 88_320),
    "gemma-4-26b": (225_280, 46_080, 26_880, 22_080),
    "mimo-v2.5": (48_000, 26_160, 23_820, 23_235),
    "mimo-v2.5-pro": (89_600, 56_000, 52_400, 51_500),
    "command-a": (262_144, 163_840, 90_112, 71_680),
    "deepseek-v4-flash": (5_856, 3_448, 3_190, 3_125.5),
    "deepseek-v4-pro": (8_348, 4_932, 4_566, 4_474.5),
    "llama-3.1-8b": (131_072,) * 4,
    "glm-5.2": (95_232,) * 4,
    "kimi-k2.5": (70_272,) * 4,
}


@pytest.mark.parametrize("name", CATALOGUE)
def test_kv_sizes_are_those_of_the_catalogue(name: str) -> None:
    assert tuple(preset_of(name).kv_bytes_per_token(context) for context in CONTEXTS) == CATALOGUE[name]


def test_the_model_of_the_worked_examples_is_among_them() -> None:
    model = preset_of("Llama-3-8B")
    assert model.kv_bytes_per_token(5_000) == 128 * 1024
    assert model.cost_model is not None
    assert model.layers == 32


@pytest.mark.parametrize("name", PRESETS)
def test_what_is_not_known_is_not_made_up(name: str) -> None:
    model = preset_of(name)
    known = model.full_kv_bytes is not None
    assert (model.kv_bytes_per_token(1_000) is not None) == known
    assert (model.slots(1 << 30) is not None) == known
    assert model.window is None or model.others == "window"
    assert (model.window_kv_bytes is None) or (known and model.window is not None)


def test_slots_fill_the_memory_in_the_ratio_that_is_asked_for() -> None:
    model = preset_of("deepseek-v4-flash")
    for ratio in (None, 0.1, 0.5, 2.0):
        full, swa = model.slots(1 << 30, ratio) or (0, 0)
        assert swa == int(full * (ratio or 0.1))
        used = full * 3_104 + swa * 22_016
        assert (1 << 30) - 100_000 < used <= 1 << 30


def test_a_model_without_windows_has_no_slots_for_them() -> None:
    assert preset_of("llama-3-8b").slots(1 << 30) == (8_192, 0)


def test_an_unknown_model_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown model 'llama-9'; choose from: llama-3-8b, .*glm-5.2"):
        preset_of("llama-9")
