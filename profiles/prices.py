"""What tokens are worth in bytes and in time, as far as the source of a profile says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

_MOST_BYTES = 1 << 31
"""No model needs more for one token."""


@dataclass(frozen=True, slots=True)
class Prices:
    """The size of a token in each component, and the time that a prefilled token takes.

    `slot_bytes` may lack components whose size is not known; of recurrent states it is the size of one.
    `prefill_ns_per_token` is None where the steps of the run are to say it.
    """

    slot_bytes: Mapping[str, int] = field(default_factory=dict)
    prefill_ns_per_token: int | None = None


def prices_of(config: Mapping[str, object]) -> Prices:
    """Return what a configuration says of sizes; what is no size is left out."""
    told = config.get("slot_bytes")
    sizes = told.items() if isinstance(told, Mapping) else ()
    return Prices({name: size for name, size in sizes if type(size) is int and 0 <= size <= _MOST_BYTES})
