"""Habits that spoil prefixes, put over any workload: salts, timestamps, tenants.

What prompts ask for stays what it is; what changes is what a cache is shown of it. As in a workload, everything is a
function of the seed and of the number of the prompt.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

from cache_core.errors import ConfigError
from profiles.texts import Texts, dice
from profiles.workload import Prompt, Workload, WorkloadConfig

Salt = Literal["none", "request"]
Timestamp = Literal["none", "first", "last"]

FollowUp = Callable[["array[int]"], Prompt | None]

STAMP_WORDS = 4
"""The tokens of a timestamp that are the same in all of them, before its digits."""
STAMP_DIGITS = 8
_STAMP = "timestamp"


@dataclass(frozen=True, slots=True)
class Dress:
    """What is put over a workload; nothing unless told.

    `tenants` are the shares of so many tenants, each a namespace with texts of its own. With the `salt` "request"
    every request has a salt of its own. A `timestamp` comes first or last in the prompt and differs from request to
    request.
    """

    tenants: tuple[int, ...] = ()
    salt: Salt = "none"
    timestamp: Timestamp = "none"

    def __post_init__(self) -> None:
        """Raise ConfigError for what cannot be put over any workload."""
        for name, choices in (("salt", get_args(Salt)), ("timestamp", get_args(Timestamp))):
            if getattr(self, name) not in choices:
                raise ConfigError(f"{name} {getattr(self, name)!r} is unknown; choose from: {', '.join(choices)}")
        if self.tenants and min(self.tenants) < 1:
            raise ConfigError(f"a tenant has a share of {min(self.tenants)}; at least 1 is needed")


class Dressed(Workload):
    """A workload with a dress over it: the prompts of `make`, each by its number."""

    def __init__(self, make: Callable[[WorkloadConfig], Workload], config: WorkloadConfig, dress: Dress) -> None:
        super().__init__(config)
        self._dress = dress
        seeds = range(config.seed, config.seed + max(1, len(dress.tenants)))
        self._workloads = [make(replace(config, seed=seed)) for seed in seeds]
        self._stamps = Texts(config.seed, config.vocabulary, (_STAMP,)).text(_STAMP, 0, STAMP_WORDS)

    def prompt(self, number: int) -> Prompt:
        """Return prompt `number` of the tenant whose turn it is, dressed."""
        shares = self._dress.tenants
        tenant = dice(self.config.seed, "tenant", number).choices(range(len(shares)), shares)[0] if shares else 0
        return self._dressed(self._workloads[tenant].prompt(number), (tenant, number, 0))

    def _dressed(self, plain: Prompt, place: tuple[int, int, int]) -> Prompt:
        """Return a prompt as a cache sees it; `place` is its tenant, number and turn."""
        dress, (tenant, number, turn) = self._dress, place
        prompt = plain if dress.timestamp == "none" else self._stamped(plain, place)
        key, salt = plain.extra_key, plain.cache_salt
        if dress.tenants:
            key = ", ".join(name for name in (f"tenant {tenant + 1}", key) if name is not None)
        if dress.salt == "request":
            salt = f"request {number + 1}, turn {turn + 1}"
        follow_up = None if plain.follow_up is None else partial(self._next, plain.follow_up, place)
        return replace(prompt, extra_key=key, cache_salt=salt, follow_up=follow_up)

    def _next(self, follow_up: FollowUp, place: tuple[int, int, int], output: array[int]) -> Prompt | None:
        tenant, number, turn = place
        plain = follow_up(output)
        return None if plain is None else self._dressed(plain, (tenant, number, turn + 1))

    def _stamped(self, plain: Prompt, place: tuple[int, int, int]) -> Prompt:
        stamp = self._stamp(place)
        *named, (end, answer) = plain.segments
        if self._dress.timestamp == "last":
            names = (*named, (end, _STAMP), (end + len(stamp), answer))
            return replace(plain, tokens=plain.tokens + stamp, segments=names)
        later = tuple((start + len(stamp), name) for start, name in plain.segments)
        return replace(plain, tokens=stamp + plain.tokens, segments=((0, _STAMP), *later))

    def _stamp(self, place: tuple[int, int, int]) -> array[int]:
        """Return the words of a timestamp and its digits, a token each; no two turns get the same."""
        _, number, turn = place
        digits = f"{number * 64 + turn:0{STAMP_DIGITS}d}"
        return self._stamps + array("i", [int(digit) % self.config.vocabulary for digit in digits])
