"""A recurrent layer over the states of the pool: chunks one by one, decoding requests all at once.

A chunk is scanned from the state it starts on and leaves the state after its last token in the request's own slot.
When the request wants the state after an earlier token as well, the scan is cut there and goes on.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

from cache_core.engine.batch import Batch, Chunk, Singles
from cache_core.engine.device_pool import DevicePool
from cache_core.engine.recurrence import Inputs, advance, scan
from cache_core.engine.shape import ModelShape
from cache_core.engine.weights import RecurrentWeights

INNER_NORM_EPSILON = 1e-6


class Recurrent:
    """The recurrent layer number `index` among those of `pool`."""

    __slots__ = ("_index", "_pool", "_shape", "_weights")

    def __init__(self, shape: ModelShape, weights: RecurrentWeights, pool: DevicePool, index: int) -> None:
        self._shape = shape
        self._weights = weights
        self._pool = pool
        self._index = index

    def mix(self, hidden: Tensor, batch: Batch) -> Tensor:
        """Return what the layer adds to `hidden` (tokens, hidden), and move the states of the batch on."""
        inputs, gates = self._project(hidden)
        parts = [self._chunk(inputs.part(chunk.first, chunk.last), chunk) for chunk in batch.chunks]
        if batch.singles.count:
            parts.insert(0, self._singles(inputs.part(0, batch.singles.count), batch.singles))
        outputs = parts[0] if len(parts) == 1 else torch.cat(parts)
        flat = outputs.flatten(1).to(hidden.dtype)
        normed = F.rms_norm(flat, flat.shape[1:], self._weights.inner_norm, INNER_NORM_EPSILON)
        return F.linear(normed * F.silu(gates), self._weights.out)

    def _project(self, hidden: Tensor) -> tuple[Inputs, Tensor]:
        shape, tokens = self._shape, len(hidden)
        groups, inner = shape.kv_heads * shape.state_width, shape.heads * shape.head_width
        projected = F.linear(hidden, self._weights.projection)
        queries, keys, values, gates, steps = torch.split(
            projected, [groups, groups, inner, inner, shape.heads], dim=-1
        )
        inputs = Inputs(
            queries.reshape(tokens, shape.kv_heads, shape.state_width).float(),
            keys.reshape(tokens, shape.kv_heads, shape.state_width).float(),
            values.reshape(tokens, shape.heads, shape.head_width).float(),
            F.softplus(steps.float() + self._weights.step_bias.float()),
        )
        return inputs, gates

    def _chunk(self, inputs: Inputs, chunk: Chunk) -> Tensor:
        states = chunk.states
        assert states is not None, "a chunk without a state"
        state = self._pool.row(self._index, states.read_slot)
        parts = []
        if cut := states.checkpoint_tokens:
            outputs, state = scan(inputs.part(0, cut), state)
            self._pool.row(self._index, states.checkpoint_slot).copy_(state)
            parts.append(outputs)
        if cut < len(inputs):
            outputs, state = scan(inputs.part(cut, len(inputs)), state)
            parts.append(outputs)
        self._pool.row(self._index, states.write_slot).copy_(state)
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _singles(self, inputs: Inputs, singles: Singles) -> Tensor:
        slots = singles.states
        assert slots is not None, "decoding without states"
        outputs, states = advance(inputs, self._pool.rows(self._index, slots.slots))
        self._pool.write(self._index, slots.slots, states)
        if len(slots.checkpoint_rows):
            self._pool.write(self._index, slots.checkpoint_slots, states[slots.checkpoint_rows])
        return outputs
