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
    kinds = SHAPES["small"].kinds(windowed=True)
    assert kinds[:4] == (LayerKind.WINDOW,) * 3 + (LayerKind.FULL,)
    assert kinds.count(LayerKind.FULL) * 3 == kinds.count(LayerKind.WINDOW)


@pytest.mark.needs("torch")
def test_the_parameter_count_is_that_of_the_weights() -> None:
    import torch

    from cache_core.engine.weights import random_weights

    shape = SHAPES["tiny"]
    weights = random_weights(shape, 0, torch.device("cpu"), torch.float32)
    matrices = [weights.embedding, weights.last_norm, weights.unembedding]
    for layer in weights.layers:
        matrices += [layer.attention_norm, layer.qkv, layer.out, layer.mlp_norm, layer.gate_up, layer.down]
    assert sum(matrix.numel() for matrix in matrices) == shape.parameters


@pytest.mark.needs("torch")
def test_a_missing_cuda_device_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from cache_core.engine.device import resolve_device

    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert resolve_device("auto").type == "cpu"
    with pytest.raises(ConfigError, match="use 'cpu' or 'auto'"):
        resolve_device("cuda")
