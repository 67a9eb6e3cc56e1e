"""Engine settings that cannot work are refused by name."""

from __future__ import annotations

import pytest

from cache_core.engine import SHAPES, EngineConfig
from cache_core.engine.shape import LayerKind
from cache_core.errors import ConfigError


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "huge"}, "choose from: tiny, small, medium"),
        ({"device": "tpu"}, "choose from: auto, cpu, cuda"),
        ({"dtype": "int4"}, "choose from: float32, bfloat16"),
        ({"chunk_size": 0}, "chunk_size must be at least 1"),
        ({"concurrency": -1}, "concurrency must be at least 1"),
        ({"threads": 0}, "threads must be at least 1"),
        ({"reserve_tokens": -1}, "reserve_tokens must not be negative"),
    ],
)
def test_a_setting_that_cannot_work_is_refused(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        EngineConfig(**settings)  # type: ignore[arg-type]


def test_three_window_layers_come_with_one_full_layer() -> None:
    kinds = SHAPES["small"].kinds(("full", "swa"))
    assert kinds[:4] == (LayerKind.WINDOW,) * 3 + (LayerKind.FULL,)
    assert kinds.count(LayerKind.FULL) * 3 == kinds.count(LayerKind.WINDOW)


def test_recurrent_layers_take_turns_with_window_layers() -> None:
    kinds = SHAPES["small"].kinds(("full", "swa", "mamba"))
    assert kinds[:4] == (LayerKind.RECURRENT, LayerKind.WINDOW, LayerKind.RECURRENT, LayerKind.FULL)


def test_without_a_window_all_layers_between_full_ones_are_recurrent() -> None:
    kinds = SHAPES["small"].kinds(("full", "mamba"))
    assert kinds[:4] == (LayerKind.RECURRENT,) * 3 + (LayerKind.FULL,)


def test_over_full_alone_every_layer_has_full_attention() -> None:
    assert set(SHAPES["small"].kinds(("full",))) == {LayerKind.FULL}


@pytest.mark.needs("torch")
@pytest.mark.parametrize("components", [("full",), ("full", "swa"), ("full", "swa", "mamba")])
def test_the_parameter_count_is_that_of_the_weights(components: tuple[str, ...]) -> None:
    import torch

    from cache_core.engine.weights import random_weights

    shape = SHAPES["tiny"]
    kinds = shape.kinds(components)
    weights = random_weights(shape, kinds, 0, torch.device("cpu"), torch.float32)
    assert sum(tensor.numel() for tensor in weights.tensors()) == shape.parameters(kinds)


@pytest.mark.needs("torch")
def test_a_missing_cuda_device_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from cache_core.engine.device import resolve_device

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve_device("auto").type == "cpu"
    with pytest.raises(ConfigError, match="use 'cpu' or 'auto'"):
        resolve_device("cuda")
