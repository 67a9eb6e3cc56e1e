"""What a workload may be told beside its name, as text: `NAME=VALUE`, and the workload that comes of it."""

from __future__ import annotations

from collections.abc import Iterable

from cache_core.errors import ConfigError
from profiles.dressing import Dress, Dressed
from profiles.workload import WORKLOADS, Workload, WorkloadConfig

SIZES = ("system_prompts", "system_tokens", "question_tokens", "output_tokens", "tasks", "examples")
"""Options that are numbers."""

OPTIONS = (*SIZES, "arrival", "tenants", "salt", "timestamp")

_MOST_DIGITS = 9

Pairs = Iterable[tuple[str, str]]
"""Names of options and what they are set to; of those with one name the last one counts."""


def make_workload(name: str, pairs: Pairs, seed: int, vocabulary: int) -> Workload:
    """Return an endless workload of the table, told its options. Raises ConfigError for what it cannot be told."""
    told = dict(pairs)
    for option in told:
        if option not in OPTIONS:
            raise ConfigError(f"workload option {option!r} is unknown; choose from: {', '.join(OPTIONS)}")
    sizes = {option: _number(option, told[option]) for option in SIZES if option in told}
    more = {"arrival": told["arrival"]} if "arrival" in told else {}
    config = WorkloadConfig(seed=seed, vocabulary=vocabulary, **sizes, **more)  # type: ignore[arg-type]
    shares = tuple(_number("tenants", share) for share in told["tenants"].split(",")) if "tenants" in told else ()
    habits = {option: told[option] for option in ("salt", "timestamp") if option in told}
    dress = Dress(shares, **habits)  # type: ignore[arg-type]
    make = WORKLOADS.load(name)
    return make(config) if dress == Dress() else Dressed(make, config, dress)


def _number(option: str, text: str) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) <= _MOST_DIGITS):
        raise ConfigError(f"workload option {option} is {text[:20]!r}, a number is needed")
    return int(text)
