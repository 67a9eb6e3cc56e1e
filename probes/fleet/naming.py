"""What a block is called by every rank that has it: the same for the same tokens behind the same beginning."""

from __future__ import annotations

from hashlib import blake2b

from probes.kv.wire import Hash, Stored, signed_word
from probes.kv_mirror.namespaces import spoken

NONE = 0
"""The name of nothing: what stands above the first block of a prompt."""

_APART = 0x9E3779B97F4A7C15
"""An odd number without a pattern: its multiples keep the names of different models apart."""


class Naming:
    """Names the blocks of a rank. Ranks of other models, which have other numbers, share nothing.

    With `by_tokens` hashes are not to be compared with those of other processes, and names come of the tokens, as
    far as the engine tells them. Otherwise those of the model with number 0 are the hashes themselves.
    """

    __slots__ = ("_salt", "by_tokens")

    def __init__(self, model: int = 0, *, by_tokens: bool) -> None:
        self.by_tokens = by_tokens
        self._salt = signed_word(model * _APART % (1 << 64))

    def of_hash(self, block: Hash) -> int:
        """Return the name of a block of which only the hash is known."""
        return (signed_word(block) ^ self._salt) or 1

    def of(self, event: Stored, place: int, above: int) -> int:
        """Return the name of the block at a place of an event, below the block named `above`."""
        if not self.by_tokens:
            return self.of_hash(event.hashes[place])
        size = event.block_tokens * (2 if event.has_bigrams else 1)
        tokens = event.tokens[place * size : (place + 1) * size]
        if not size or len(tokens) < size or (above == NONE and event.parent is not None):
            return self.of_hash(event.hashes[place])
        return hash((above or self._salt ^ _of_text(spoken(event)), *tokens)) or 1


def naming(engine: str, version: str | None, model: int = 0) -> Naming:
    """Return the naming for a server: SGLang hashes tokens alone, vLLM by a seed of each process before 0.29."""
    numbers = (version or "").lstrip("v").split(".")[:2]
    is_late = len(numbers) == 2 and all(map(str.isdecimal, numbers)) and [*map(int, numbers)] >= [0, 29]
    return Naming(model, by_tokens=engine != "sglang" and not (engine == "vllm" and is_late))


def _of_text(namespace: str) -> int:
    """Return a number for a namespace, 0 for the one without a name; the same in every process."""
    return int.from_bytes(blake2b(namespace.encode(), digest_size=7).digest(), "big") if namespace else 0
