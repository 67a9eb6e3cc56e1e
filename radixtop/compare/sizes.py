"""Sizes of pools as people write them: 100000, 100k, 1.5M; 2x, half; 25%; 20GiB of a model's memory."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from radixtop.errors import UsageError

_NUMBER = re.compile(r"(?P<number>[0-9]{1,12}(?:\.[0-9]{1,6})?)(?P<unit>[A-Za-z%]*)")
_SLOTS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000}
_BYTES = {
    f"{letter}{name}": base**power
    for power, letter in enumerate("kmgt", start=1)
    for name, base in (("b", 1000), ("ib", 1024))
}
_WORDS = {"half": "0.5x", "double": "2x"}
FORMS = "a size is 100000, 100k or 1.5M slots, 2x or half of what there is"


@dataclass(frozen=True, slots=True)
class Measure:
    """What sizes are measured by: the pool as it is, the full pool, and the memory of a slot, None where unknown."""

    slots: int | None
    full_slots: int | None
    slot_bytes: float | None


def slots_of(key: str, text: str, measure: Measure) -> int:
    """Return the slots that a text names for the pool `key`. Raises UsageError for what is no size."""
    number, unit = _parts(key, text)
    if unit in _SLOTS:
        slots = number * _SLOTS[unit]
    elif unit == "x":
        slots = number * _known(key, text, measure.slots, f"{key} is not given, so it has no multiple")
    elif unit == "%":
        slots = number / 100 * _known(key, text, measure.full_slots, "full_slots is not given, so it has no part")
    elif unit in _BYTES:
        why = "only a model says what a slot takes: --preset NAME"
        slots = number * _BYTES[unit] / _known(key, text, measure.slot_bytes, why)
    else:
        raise UsageError(f"{key}={text!r} is no size", FORMS)
    return int(slots)


def _parts(key: str, text: str) -> tuple[Fraction, str]:
    found = _NUMBER.fullmatch(_WORDS.get(text, text))
    if found is None:
        raise UsageError(f"{key}={text!r} is no size", FORMS)
    return Fraction(found["number"]), found["unit"].lower()


def _known(key: str, text: str, value: float | None, why: str) -> Fraction:
    if value is None:
        raise UsageError(f"{key}={text!r} cannot be told in slots", why)
    return Fraction(value)
