"""The recurrence in blocks and in batches, against its definition, and the states that a layer leaves."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

import pytest

from cache_core.engine import GenerateRequest
from cache_core.engine.sequence import Sequence
from cache_core.engine.shape import LayerKind
from cache_core.engine.work import StateUse, Work
from tests.cache_core.engine.conftest import NANO

if TYPE_CHECKING:
    from cache_core.engine.model import Model
    from cache_core.engine.recurrence import Inputs

pytestmark = pytest.mark.needs("torch")

GROUPS, HEADS, WIDTH, STATE_WIDTH = 2, 4, 8, 5
RECURRENT_ONLY = (LayerKind.RECURRENT,) * 4


def _inputs(tokens: int, seed: int = 0) -> Inputs:
    import torch

    from cache_core.engine.recurrence import Inputs

    generator = torch.Generator().manual_seed(seed)
    sizes = ((GROUPS, STATE_WIDTH), (GROUPS, STATE_WIDTH), (HEADS, WIDTH))
    queries, keys, values = (torch.randn(tokens, *size, generator=generator) for size in sizes)
    return Inputs(queries, keys, values, torch.rand(tokens, HEADS, generator=generator))


def _definition(inputs: Inputs, state):
    """One token after the other, one head after the other."""
    import torch

    outputs, state = torch.empty(len(inputs), HEADS, WIDTH), state.clone()
    for token in range(len(inputs)):
        for head in range(HEADS):
            step, group = inputs.steps[token, head], head * GROUPS // HEADS
            brought = torch.outer(inputs.values[token, head], inputs.keys[token, group])
            state[head] = torch.exp(-step) * state[head] + step * brought
            outputs[token, head] = state[head] @ inputs.queries[token, group]
    return outputs, state


@pytest.mark.parametrize("tokens", [1, 2, 63, 64, 65, 200])
def test_a_scan_is_the_recurrence(tokens: int) -> None:
    import torch

    from cache_core.engine.recurrence import scan

    state = torch.randn(HEADS, WIDTH, STATE_WIDTH, generator=torch.Generator().manual_seed(9))
    outputs, after = scan(_inputs(tokens), state)
    expected, expected_after = _definition(_inputs(tokens), state)
    assert torch.allclose(outputs, expected, atol=1e-5)
    assert torch.allclose(after, expected_after, atol=1e-5)


@pytest.mark.parametrize("cut", [1, 64, 70, 99])
def test_a_scan_goes_on_from_where_another_ended(cut: int) -> None:
    import torch

    from cache_core.engine.recurrence import scan

    inputs, state = _inputs(100), torch.zeros(HEADS, WIDTH, STATE_WIDTH)
    whole, whole_after = scan(inputs, state)
    first, between = scan(inputs.part(0, cut), state)
    second, after = scan(inputs.part(cut, 100), between)
    assert torch.allclose(torch.cat((first, second)), whole, atol=1e-5)
    assert torch.allclose(after, whole_after, atol=1e-5)


def test_sequences_advance_side_by_side() -> None:
    import torch

    from cache_core.engine.recurrence import advance

    inputs = _inputs(3)
    states = torch.randn(3, HEADS, WIDTH, STATE_WIDTH, generator=torch.Generator().manual_seed(9))
    outputs, after = advance(inputs, states)
    for row in range(3):
        expected, expected_after = _definition(inputs.part(row, row + 1), states[row])
        assert torch.allclose(outputs[row], expected[0], atol=1e-5)
        assert torch.allclose(after[row], expected_after, atol=1e-5)


def test_a_large_step_forgets_everything() -> None:
    import torch

    from cache_core.engine.recurrence import Inputs, scan

    inputs = _inputs(130)
    steps = torch.full_like(inputs.steps, 200.0)
    outputs, after = scan(
        Inputs(inputs.queries, inputs.keys, inputs.values, steps), torch.ones(HEADS, WIDTH, STATE_WIDTH)
    )
    assert outputs.isfinite().all()
    expected = 200.0 * torch.outer(inputs.values[-1, 0], inputs.keys[-1, 0])
    assert torch.allclose(after[0], expected, rtol=1e-5)


def _model(slots: int = 8) -> Model:
    import torch

    from cache_core.engine.device_pool import build_pools
    from cache_core.engine.model import Model
    from cache_core.engine.weights import random_weights

    device = torch.device("cpu")
    pools = build_pools(RECURRENT_ONLY, {LayerKind.RECURRENT: slots}, NANO, device, torch.float32)
    weights = random_weights(NANO, RECURRENT_ONLY, 1, device, torch.float32)
    pools[LayerKind.RECURRENT].layers[:, 1:] = float("nan")
    return Model(NANO, weights, RECURRENT_ONLY, pools, {})


def _sequence(seed: int, tokens: int = 40) -> Sequence:
    return Sequence(seed, GenerateRequest(array("i", range(seed, seed + tokens)), 1), 0)


def _chunk(sequence: Sequence, start: int, end: int, states: StateUse) -> Work:
    return Work(sequence, start, end, {}, decodes=False, speaks=True, states=states)


def _token(sequence: Sequence, position: int, states: StateUse) -> Work:
    return Work(sequence, position, position + 1, {}, decodes=True, speaks=True, states=states)


def _hidden(model: Model, *works: Work):
    import torch

    from cache_core.engine.batch import BatchPlace, build_batch

    return model.forward(build_batch(works, BatchPlace(torch.device("cpu"), torch.float32, ())))


def test_chunks_and_tokens_go_on_from_the_states_in_their_slots() -> None:
    import torch

    model, one, other = _model(), _sequence(0), _sequence(100)
    _hidden(model, _chunk(one, 0, 30, StateUse(0, 3)), _chunk(other, 0, 10, StateUse(0, 5)))
    mixed = _hidden(model, _token(one, 30, StateUse(3, 3)), _chunk(other, 10, 40, StateUse(5, 5)))
    dense = _model()
    assert torch.allclose(mixed[0], _hidden(dense, _chunk(one, 0, 31, StateUse(0, 1)))[30], atol=1e-5)
    assert torch.allclose(mixed[1:], _hidden(dense, _chunk(other, 0, 40, StateUse(0, 2)))[10:], atol=1e-5)


def test_a_model_of_recurrent_layers_equals_the_dense_one() -> None:
    from cache_core.engine.dense import dense_logits

    model, sequence = _model(), _sequence(0, tokens=200)
    logits = model.logits(_hidden(model, _chunk(sequence, 0, 200, StateUse(0, 1))))
    dense = dense_logits(NANO, model.weights, RECURRENT_ONLY, None, sequence.tokens)
    assert float((logits - dense).abs().max()) <= 1e-4


@pytest.mark.parametrize("cut", [1, 17, 40])
def test_a_chunk_leaves_the_state_after_its_checkpoint_too(cut: int) -> None:
    import torch

    model, sequence = _model(), _sequence(0)
    _hidden(model, _chunk(sequence, 0, 40, StateUse(0, 2, checkpoint_slot=4, checkpoint_tokens=cut)))
    _hidden(model, _chunk(sequence, 0, cut, StateUse(0, 6)))
    states = model.pools[LayerKind.RECURRENT].layers
    assert torch.allclose(states[:, 4], states[:, 6], atol=1e-5)
    again = _hidden(model, _chunk(sequence, 0, 40, StateUse(0, 7)))
    assert torch.allclose(states[:, 2], states[:, 7], atol=1e-5)
    assert again.isfinite().all()


def test_a_decoded_token_leaves_its_state_in_the_checkpoint_too() -> None:
    import torch

    model, one, other = _model(), _sequence(0), _sequence(100)
    _hidden(model, _chunk(one, 0, 5, StateUse(0, 1)), _chunk(other, 0, 5, StateUse(0, 2)))
    _hidden(model, _token(one, 5, StateUse(1, 1)), _token(other, 5, StateUse(2, 2, checkpoint_slot=6)))
    states = model.pools[LayerKind.RECURRENT].layers
    assert torch.equal(states[:, 2], states[:, 6])
    assert not torch.equal(states[:, 1], states[:, 6])
    assert states[:, 5].isnan().all()


def test_the_state_that_a_request_starts_from_is_left_alone() -> None:
    import torch

    model, sequence = _model(), _sequence(0)
    _hidden(model, _chunk(sequence, 0, 20, StateUse(0, 1)))
    states = model.pools[LayerKind.RECURRENT].layers
    before = states[:, :2].clone()
    _hidden(model, _chunk(sequence, 20, 40, StateUse(1, 2)))
    assert torch.equal(states[:, :2], before)
    assert states[:, 2].isfinite().all()
