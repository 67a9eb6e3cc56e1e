"""What cached tokens are worth in memory and prefill time: arithmetic on a named model, not a measurement.

Wherever a figure of this module is shown it carries the word `DERIVED`.
"""

from __future__ import annotations

from dataclasses import dataclass

DERIVED = "derived"
"""The label of every figure that this arithmetic yields."""

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class CostModel:
    """A model's KV size per token, and a prefill rate that is assumed for it.

    `index_bytes` is the size of one slot index, what a tree moves when it splits a node: never KV.
    """

    name: str
    layers: int
    kv_heads: int
    head_dim: int
    element_bytes: int
    prefill_tokens_per_s: int
    index_bytes: int = 8

    @property
    def kv_bytes_per_token(self) -> int:
        """Keys and values of one token over all layers."""
        return 2 * self.layers * self.kv_heads * self.head_dim * self.element_bytes

    def kv_bytes(self, tokens: int) -> int:
        """Return the KV size of `tokens`."""
        return tokens * self.kv_bytes_per_token

    def kv_mib(self, tokens: int) -> float:
        """Return the KV size of `tokens` in MiB."""
        return self.kv_bytes(tokens) / _MIB

    def prefill_ms(self, tokens: int) -> float:
        """Return how long `tokens` take to prefill, in milliseconds."""
        return tokens / self.prefill_tokens_per_s * 1000

    def index_move_bytes(self, tokens: int) -> int:
        """Return the size of the slot indices of `tokens`."""
        return tokens * self.index_bytes

    def describe(self, tokens: int) -> str:
        """Return what `tokens` are worth as text, with the label that such a figure must carry."""
        return f"{self.kv_mib(tokens):,.0f} MiB, {self.prefill_ms(tokens):,.0f} ms ({DERIVED}, {self.name})"


LLAMA_3_8B = CostModel("Llama-3-8B, bf16", 32, 8, 128, 2, 22_000)
"""The model of the worked examples: 128 KiB of KV per token, 22,000 prefilled tokens per second assumed.

The rate is 8,192 tokens in 148.7 TFLOP at an assumed 400 TFLOP/s of an H100 SXM (peak 989.4).
"""
