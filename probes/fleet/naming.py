"""What a block is called by every rank that has it: the same for the same tokens behind the same beginning."""

from __future__ import annotations

from probes.kv.wire import Hash, Stored
from probes.kv_mirror.namespaces import spoken
from probes.kv_mirror.tree import signed

NONE = 0
"""The name of nothing: what stands above the first block of a prompt."""


class Naming:
    """Names the blocks of a rank. Ranks of other models share nothing.

    With `by_tokens` hashes are not to be compared with those of other processes, and names come of the tokens, as
    far as the engine tells them.
    """

    __slots__ = ("_salt", "by_tokens", "model")

    def __init__(self, model: str | None, by_tokens: bool) -> None:
        self.model = model
        self.by_tokens = by_tokens
        self._salt = hash(model)

    def of_hash(self, block: Hash) -> int:
        """Return the name of a block of which only the hash is known."""
        return (signed(block) ^ self._salt) or 1

    def of(self, event: Stored, place: int, above: int) -> int:
        """Return the name of the block at a place of an event, below the block named `above`."""
        if not self.by_tokens:
            return self.of_hash(event.hashes[place])
        size = event.block_tokens * (2 if event.has_bigrams else 1)
        tokens = event.tokens[place * size : (place + 1) * size]
        if not size or len(tokens) < size or (above == NONE and event.parent is not None):
            return self.of_hash(event.hashes[place])
        return hash((above or (self.model, spoken(event)), tuple(tokens))) or 1


def naming(engine: str, version: str | None, model: str | None) -> Naming:
    """Return the naming for a server: SGLang hashes tokens alone, vLLM by a seed of each process before 0.29."""
    numbers = (version or "").lstrip("v").split(".")[:2]
    is_late = len(numbers) == 2 and all(map(str.isdecimal, numbers)) and [*map(int, numbers)] >= [0, 29]
    return Naming(model, by_tokens=engine != "sglang" and not (engine == "vllm" and is_late))
