"""What one request computes in one step. Needs no torch: the scheduler decides, the batch turns it into tensors."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import NamedTuple

from cache_core.engine.sequence import Sequence
from cache_core.engine.shape import LayerKind
from cache_core.request import Request


@dataclass(frozen=True, slots=True)
class StateUse:
    """Which slots of the recurrent states a work reads and writes.

    It starts from the state in `read_slot`, 0 for none, leaves the one after its last token in `write_slot`, and
    with `checkpoint_slot` other than 0 the one after its first `checkpoint_tokens` in there as well.
    """

    read_slot: int
    write_slot: int
    checkpoint_slot: int = 0
    checkpoint_tokens: int = 0


class Work(NamedTuple):
    """The tokens [start, end) of one request, and per layer kind the slots of all tokens that they see.

        full     [0 ................................. end)
        swa          [start - window + 1 ............ end)
        written                             [start .. end)

    `decodes` marks the one token of a decoding request, `speaks` a work whose last token's logits choose the next
    token.
    """

    sequence: Sequence
    start: int
    end: int
    slots: dict[LayerKind, array[int]]
    decodes: bool
    speaks: bool
    states: StateUse | None = None

    def written(self, kind: LayerKind) -> array[int]:
        """Return the slots that the step's own keys and values go to."""
        return self.slots[kind][self.start - self.end :]


class Choice(NamedTuple):
    """A token, and how far the best logit is above the second best."""

    token: int
    gap: float


def used_states(request: Request, start: int) -> StateUse:
    """Return the state slots of a work that begins at `start`, once its slots are taken."""
    due = request.checkpoint_due
    assert request.state_slot, f"request {request.request_id} computes without a state"
    assert due == 0 or start < due <= request.length, f"checkpoint at {due} in [{start}, {request.length})"
    return StateUse(
        # The first work reads the hit's own state where it lies; one that hit nothing starts from slot 0, zero.
        read_slot=(request.state_source or request.state_slot) if start else 0,
        write_slot=request.state_slot,
        checkpoint_slot=request.checkpoint_slot if due else 0,
        checkpoint_tokens=due - start if due else 0,
    )


def seen_slots(request: Request, start: int, kind: LayerKind, window: int | None) -> array[int]:
    """Return the slots, up to the request's length, of what the tokens from `start` on see in layers of `kind`."""
    if kind is LayerKind.FULL:
        return request.row()
    assert window is not None, "window layers without a window"
    slots = request.swa_row(max(0, start - window + 1))
    assert 0 not in slots, f"request {request.request_id} sees a freed window slot"
    return slots
