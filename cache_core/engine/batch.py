"""One forward pass as tensors: which tokens run, where their keys and values go, and which slots they read.

The flat order of a batch: first one token of each decoding request, then the tokens of each chunk.

    | d0 | d1 | d2 | chunk A: start..end | chunk B: start..end |
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from cache_core.engine.shape import LayerKind
from cache_core.engine.work import StateUse, Work


@dataclass(frozen=True, slots=True)
class Chunk:
    """The flat rows [first, last) of one chunk, and the slots its queries read, oldest first, per layer kind."""

    first: int
    last: int
    slots: dict[LayerKind, Tensor]
    states: StateUse | None


@dataclass(frozen=True, slots=True)
class SingleStates:
    """The state slot of each decoding request, and which of them (by row) leave a copy in which other slot."""

    slots: Tensor
    checkpoint_rows: Tensor
    checkpoint_slots: Tensor


@dataclass(frozen=True, slots=True)
class Singles:
    """The decoding requests, which are the first flat rows: slots (requests, keys) and masks per layer kind."""

    count: int
    slots: dict[LayerKind, Tensor]
    masks: dict[LayerKind, Tensor]
    states: SingleStates | None


@dataclass(frozen=True, slots=True)
class Batch:
    """A forward pass. `write_slots` has a slot per flat token and kind; `speaking` are the flat rows that speak."""

    tokens: Tensor
    positions: Tensor
    write_slots: dict[LayerKind, Tensor]
    singles: Singles
    chunks: tuple[Chunk, ...]
    speaking: Tensor


@dataclass(frozen=True, slots=True)
class BatchPlace:
    """Where a batch is built: its device, its number type, and the kinds of attention layers of the model."""

    device: torch.device
    dtype: torch.dtype
    kinds: tuple[LayerKind, ...]

    def ints(self, values: array[int], dtype: torch.dtype = torch.int32) -> Tensor:
        """Return `values` on the device."""
        if not values:
            return torch.empty(0, dtype=dtype, device=self.device)
        return torch.frombuffer(values, dtype=torch.int32).to(self.device, dtype)


def build_batch(works: Sequence[Work], place: BatchPlace) -> Batch:
    """Return the batch of `works`, in which decoding ones come first."""
    singles = [work for work in works if work.decodes]
    assert not any(work.decodes for work in works[len(singles) :]), "decoding works must come first"
    tokens, positions, speaking = array("i"), array("i"), array("i")
    for work in works:
        tokens += work.sequence.tokens[work.start : work.end]
        positions.extend(range(work.start, work.end))
        if work.speaks:
            speaking.append(len(tokens) - 1)
    return Batch(
        tokens=place.ints(tokens),
        positions=place.ints(positions),
        write_slots={kind: place.ints(_write_slots(works, kind), torch.int64) for kind in place.kinds},
        singles=_singles(singles, place),
        chunks=_chunks(works, place),
        speaking=place.ints(speaking),
    )


def _write_slots(works: Sequence[Work], kind: LayerKind) -> array[int]:
    slots = array("i")
    for work in works:
        slots += work.written(kind)
    assert 0 not in slots, f"a token without a slot in the {kind.value} pool"
    return slots


def _chunks(works: Sequence[Work], place: BatchPlace) -> tuple[Chunk, ...]:
    chunks, first = [], 0
    for work in works:
        last = first + work.end - work.start
        if not work.decodes:
            slots = {kind: place.ints(seen) for kind, seen in work.slots.items()}
            chunks.append(Chunk(first, last, slots, work.states))
        first = last
    return tuple(chunks)


def _singles(works: Sequence[Work], place: BatchPlace) -> Singles:
    slots, masks = {}, {}
    for kind in place.kinds:
        slots[kind], masks[kind] = _padded([work.slots[kind] for work in works], place)
    return Singles(len(works), slots, masks, _single_states(works, place))


def _single_states(works: Sequence[Work], place: BatchPlace) -> SingleStates | None:
    slots, rows, checkpoint_slots = array("i"), array("i"), array("i")
    for row, work in enumerate(works):
        if work.states is None:
            return None
        slots.append(work.states.write_slot)
        if work.states.checkpoint_slot:
            rows.append(row)
            checkpoint_slots.append(work.states.checkpoint_slot)
    return SingleStates(*(place.ints(numbers, torch.int64) for numbers in (slots, rows, checkpoint_slots)))


def _padded(rows: Sequence[array[int]], place: BatchPlace) -> tuple[Tensor, Tensor]:
    """Return the rows side by side, filled up with slot 0, and the mask that hides the filling."""
    longest = max(map(len, rows), default=0)
    filled = array("i")
    for row in rows:
        filled += row
        filled.frombytes(bytes(filled.itemsize * (longest - len(row))))
    lengths = place.ints(array("i", map(len, rows))).unsqueeze(1)
    hidden = torch.arange(longest, device=place.device) >= lengths
    mask = torch.zeros(hidden.shape, device=place.device, dtype=place.dtype).masked_fill_(hidden, float("-inf"))
    return place.ints(filled).view(len(rows), longest), mask.unsqueeze(1).unsqueeze(1)
