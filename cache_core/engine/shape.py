"""The sizes of the model: how many layers of which kind, and how wide. Needs no torch."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum


class LayerKind(Enum):
    """What a token of a layer sees: every earlier token, the window alone, or a state that sums up all of them.

    The value is the cache's component that keeps the layer's slots.
    """

    FULL = "full"
    WINDOW = "swa"
    RECURRENT = "mamba"


@dataclass(frozen=True, slots=True)
class ModelShape:
    """A decoder: `heads` query heads share `kv_heads` key and value heads of `head_width` each.

    One layer in `full_every` has full attention, the last one of each group. The others see the window or are
    recurrent, or take turns, as the components of the cache allow. A recurrent layer keeps `head_width` times
    `state_width` numbers for each of its `heads`.
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
    state_width: int = 32

    def kinds(self, components: Collection[str]) -> tuple[LayerKind, ...]:
        """Return the kind of each layer over a cache of `components`; with "full" alone, all have full attention."""
        others = [kind for kind in (LayerKind.RECURRENT, LayerKind.WINDOW) if kind.value in components]
        if not others:
            return (LayerKind.FULL,) * self.layers
        return tuple(
            LayerKind.FULL if (layer + 1) % self.full_every == 0 else others[layer % len(others)]
            for layer in range(self.layers)
        )

    def slot_bytes(self, components: Collection[str], element_bytes: int) -> dict[str, int]:
        """Return the bytes behind one slot of each component, over all of its layers.

        That is the keys and values of a token in numbers of `element_bytes`, or a whole recurrent state in float32.
        """
        kinds = self.kinds(components)
        of_token = 2 * self.kv_heads * self.head_width * element_bytes
        of_state = self.heads * self.head_width * self.state_width * 4
        return {
            kind.value: kinds.count(kind) * (of_state if kind is LayerKind.RECURRENT else of_token)
            for kind in dict.fromkeys(kinds)
        }

    def parameters(self, kinds: tuple[LayerKind, ...]) -> int:
        """Return how many weights the model has with layers of these kinds."""
        mlp = 3 * self.hidden * self.mlp + 2 * self.hidden
        mixers = sum(self._recurrence if kind is LayerKind.RECURRENT else self._attention for kind in kinds)
        return mixers + len(kinds) * mlp + 2 * self.vocabulary * self.hidden + self.hidden

    @property
    def _attention(self) -> int:
        return self.hidden * self.head_width * (2 * self.heads + 2 * self.kv_heads)

    @property
    def _recurrence(self) -> int:
        inner = self.heads * self.head_width
        return self.hidden * (2 * self.kv_heads * self.state_width + 3 * inner + self.heads) + self.heads + inner


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
