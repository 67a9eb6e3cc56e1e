"""The recurrence of a recurrent layer: a state per head that decays and takes up what each token brings.

    state(t) = exp(-step(t)) * state(t - 1) + step(t) * value(t) x key(t)          output(t) = state(t) . query(t)

With a scalar decay per head this is the recurrence of Mamba-2 (Dao and Gu 2024, arXiv 2405.21060). Many tokens of one
sequence run in blocks, all at once: inside a block every token looks back at every earlier one, weighted by the decay
between them, as attention does; from block to block goes the state alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

SCAN_BLOCK_TOKENS = 64
"""Tokens per block: short enough that looking back is cheap, long enough that there are few blocks."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What tokens bring, all float32: queries and keys (tokens, groups, state_width), values (tokens, heads,
    head_width), steps (tokens, heads). Neighbouring heads share a group.
    """

    queries: Tensor
    keys: Tensor
    values: Tensor
    steps: Tensor

    def part(self, start: int, stop: int) -> Inputs:
        """Return the tokens [start, stop)."""
        return Inputs(
            self.queries[start:stop], self.keys[start:stop], self.values[start:stop], self.steps[start:stop]
        )

    def __len__(self) -> int:
        return len(self.steps)


def scan(inputs: Inputs, state: Tensor) -> tuple[Tensor, Tensor]:
    """Return outputs (tokens, heads, head_width) and the state after the last token of one sequence.

    `state` (heads, head_width, state_width) is the one before the first token; it is not changed.
    """
    tokens, heads, width = inputs.values.shape
    groups, state_width = inputs.keys.shape[1:]
    shared = heads // groups
    length = min(SCAN_BLOCK_TOKENS, tokens)
    # Heads before tokens, and the heads of a group side by side: (blocks, groups, shared, tokens, ...)
    steps = _in_blocks(inputs.steps, length).view(-1, length, groups, shared).permute(0, 2, 3, 1)
    brought = _in_blocks(inputs.values * inputs.steps.unsqueeze(-1), length)
    brought = brought.view(-1, length, groups, shared, width).permute(0, 2, 3, 1, 4)
    keys = _in_blocks(inputs.keys, length).transpose(1, 2).unsqueeze(2)
    queries = _in_blocks(inputs.queries, length).transpose(1, 2).unsqueeze(2)

    gone = steps.cumsum(-1)
    last = gone[..., -1:]
    kept = torch.exp(-last).unsqueeze(-1)
    added = (brought * torch.exp(gone - last).unsqueeze(-1)).mT @ keys
    state = state.view(groups, shared, width, state_width)
    before = []
    for block in range(len(gone)):
        before.append(state)
        state = kept[block] * state + added[block]

    later = torch.ones(length, length, dtype=torch.bool, device=state.device).triu(1)
    decay = torch.exp((gone.unsqueeze(-2) - gone.unsqueeze(-1)).masked_fill_(later, float("-inf")))
    outputs = (queries @ keys.mT * decay) @ brought
    outputs += torch.exp(-gone).unsqueeze(-1) * (queries @ torch.stack(before).mT)
    return outputs.permute(0, 3, 1, 2, 4).reshape(-1, heads, width)[:tokens], state.view(heads, width, state_width)


def advance(inputs: Inputs, states: Tensor) -> tuple[Tensor, Tensor]:
    """Return the outputs of one token of each sequence and the states after it; `states` has one per sequence."""
    sequences, heads, width = inputs.values.shape
    shared = heads // inputs.keys.shape[1]
    keys = inputs.keys.repeat_interleave(shared, dim=1)
    queries = inputs.queries.repeat_interleave(shared, dim=1)
    brought = (inputs.steps.unsqueeze(-1) * inputs.values).unsqueeze(-1) * keys.unsqueeze(-2)
    states = states * torch.exp(-inputs.steps).view(sequences, heads, 1, 1) + brought
    return (states @ queries.unsqueeze(-1)).view(sequences, heads, width), states


def _in_blocks(rows: Tensor, length: int) -> Tensor:
    """Return (blocks, length, ...): rows filled up with zeros, which as steps of length 0 change nothing."""
    missing = -len(rows) % length
    filled = torch.cat((rows, rows.new_zeros(missing, *rows.shape[1:]))) if missing else rows
    return filled.view(-1, length, *rows.shape[1:])
