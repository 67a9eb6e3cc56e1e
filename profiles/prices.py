"""What tokens are worth in bytes and in time, as far as the source of a profile says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from profiles.cost_model import DERIVED, CostModel
from profiles.forest import WEIGHTS

_MOST_BYTES = 1 << 31
"""No model needs more for one token."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The size of a token in each component, and the time that a prefilled token takes.

    `slot_bytes` may lack components whose size is not known; of recurrent states it is the size of one.
    `prefill_ns_per_token` is None where the steps of the run are to say it. `assumed` names the model that the
    figures were taken from, and is empty when the source told them.
    """

    slot_bytes: Mapping[str, int] = field(default_factory=dict)
    prefill_ns_per_token: int | None = None
    assumed: str = ""

    def captions(self) -> dict[str, str]:
        """Return what weights are called that these prices were put in: an assumption is told as one."""
        if not self.assumed:
            return {}
        return {weight: f"{WEIGHTS[weight]} ({DERIVED}, {self.assumed})" for weight in ("bytes", "saved_ns")}


def prices_of(config: Mapping[str, object]) -> Prices:
    """Return what a configuration says of sizes; what is no size is left out."""
    told = config.get("slot_bytes")
    sizes = told.items() if isinstance(told, Mapping) else ()
    return Prices({name: size for name, size in sizes if type(size) is int and 0 <= size <= _MOST_BYTES})


def assumed_prices(model: CostModel) -> Prices:
    """Return the prices of a model that the source does not name."""
    return Prices({"full": model.kv_bytes_per_token}, 10**9 // model.prefill_tokens_per_s, model.name)
