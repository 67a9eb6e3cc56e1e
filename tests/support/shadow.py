"""What was written to each slot, so that a slot in the wrong place is caught by its content.

Content is the whole prefix: a position's number stands for its namespace and all tokens up to it. A state's number
is that of the last position it knows.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

from cache_core import PrefixCache, Request
from tests.support.naive_tree import Namespace, Tokens

Memory = dict[int, int]
"""Slot -> content number. Slot 0 is the sink that padding goes to."""


class Shadow:
    """A copy of the pools, on the device and on the host, that holds content numbers."""

    def __init__(self, cache: PrefixCache) -> None:
        self.cache = cache
        self.device: dict[str, Memory] = {name: {} for name in ("full", "swa", "mamba")}
        self.host: dict[str, Memory] = {name: {} for name in ("full", "swa", "mamba")}
        self._numbers: dict[tuple[object, int], int] = {}
        self._known: dict[tuple[Namespace, Tokens], list[int]] = {}

    def content(self, tokens: Tokens, space: Namespace) -> list[int]:
        """Return the content number of each position."""
        known = self._known.get((space, tokens))
        if known is None:
            if len(self._known) > 5_000:
                self._known.clear()
            known = []
            above: object = ("namespace", space)
            for token in tokens:
                above = self._numbers.setdefault((above, token), len(self._numbers))
                known.append(above)
            self._known[space, tokens] = known
        return known

    # ---- writing

    def write(self, name: str, slots: Iterable[int], tokens: Tokens, space: Namespace, start: int = 0) -> None:
        """Compute positions from `start` on into `slots` of a component; slot 0 takes what nobody keeps."""
        memory = self.device[name]
        for slot, number in zip(slots, self.content(tokens, space)[start:], strict=False):
            memory[slot] = number

    def write_state(self, slot: int, tokens: Tokens, space: Namespace) -> None:
        """Store the state after all of `tokens`."""
        self.device["mamba"][slot] = self.content(tokens, space)[-1]

    def forward(self, request: Request, tokens: Tokens, space: Namespace, start: int) -> None:
        """Compute a request's positions from `start` on, and the states that are due on the way."""
        self.write("full", request.row()[start:], tokens, space, start)
        self.write("swa", request.swa_row(start), tokens, space, start)
        if not request.state_slot:
            return
        states, source = self.device["mamba"], request.state_source
        if source and start == request.hit_tokens:
            assert states[source] == self.content(tokens, space)[start - 1], "the hit's state is another prefix's"
        self.write_state(request.state_slot, tokens, space)
        if request.checkpoint_due:
            assert start < request.checkpoint_due <= len(tokens)
            self.write_state(request.checkpoint_slot, tokens[: request.checkpoint_due], space)

    def copy(self, direction: str, parts: dict[str, tuple[array[int], array[int]]]) -> None:
        """Copy slots between the device and the host."""
        for name, (on_device, on_host) in parts.items():
            source, target = (self.device, self.host) if direction == "backup" else (self.host, self.device)
            pairs = zip(on_device, on_host, strict=True)
            for there, here in pairs if direction == "backup" else ((b, a) for a, b in pairs):
                target[name][here] = source[name][there]

    # ---- reading

    def verify(self, memory: Memory, slots: array[int], tokens: Tokens, space: Namespace, start: int = 0) -> None:
        """Assert that `slots` hold the positions from `start` on, each in a slot of its own."""
        assert len(set(slots)) == len(slots) and 0 not in slots
        expected = self.content(tokens, space)[start : start + len(slots)]
        assert [*map(memory.get, slots)] == expected

    def verify_some(self, memory: Memory, slots: array[int], tokens: Tokens, space: Namespace) -> None:
        """Assert that `slots` hold the first positions, but where they are 0."""
        for slot, number in zip(slots, self.content(tokens, space), strict=False):
            assert not slot or memory.get(slot) == number

    def verify_state(self, memory: Memory, slot: int, tokens: Tokens, space: Namespace) -> None:
        """Assert that a slot holds the state after all of `tokens`."""
        assert memory.get(slot) == self.content(tokens, space)[-1]
