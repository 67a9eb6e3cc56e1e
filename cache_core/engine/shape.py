"""The sizes of the model: how many layers of which kind, and how wide. Needs no torch."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class LayerKind(Enum):
    """What the tokens of a layer see: every earlier token, or the window alone."""

    FULL = "full"
    WINDOW = "swa"


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A decoder: `heads` query heads share `kv_heads` key and value heads of `head_width` each.

    One layer in `full_every` has full attention, the last one of each group; the others see the window.
    """

    name: str
    vocabulary: int
    hidden: int
    layers: int
    heads: int
    kv_heads: int
    head_width: int
    mlp: int
    full_every: int = 4
    rope_base: float = 10_000.0

    def kinds(self, windowed: bool) -> tuple[LayerKind, ...]:
        """Return the kind of each layer; without a window every layer has full attention."""
        if not windowed:
            return (LayerKind.FULL,) * self.layers
        return tuple(
            LayerKind.FULL if (layer + 1) % self.full_every == 0 else LayerKind.WINDOW for layer in range(self.layers)
        )

    @property
    def parameters(self) -> int:
        """How many weights the model has."""
        attention = self.hidden * self.head_width * (2 * self.heads + 2 * self.kv_heads)
        layer = attention + 3 * self.hidden * self.mlp + 2 * self.hidden
        return self.layers * layer + 2 * self.vocabulary * self.hidden + self.hidden


SHAPES = {
    shape.name: shape
    for shape in (
        ModelShape("tiny", vocabulary=8_192, hidden=128, layers=4, heads=4, kv_heads=2, head_width=32, mlp=256),
        ModelShape(
            "small", vocabulary=32_768, hidden=1_024, layers=16, heads=16, kv_heads=4, head_width=64, mlp=2_816
        ),
        ModelShape(
            "medium", vocabulary=32_768, hidden=2_048, layers=24, heads=16, kv_heads=4, head_width=128, mlp=5_632
        ),
    )
}
"""The sizes by name: `tiny` for a CPU, `small` and `medium` for a GPU."""
