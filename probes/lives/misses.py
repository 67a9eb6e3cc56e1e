"""The tokens of a prompt by what became of them: hit, or missed for a reason. They add up to what was asked, always.

    0          hit        known        N                    ceiling   last token
    |---hits----|--window--|--evicted---|--first seen or------|--page---|-|
                   gone       other       diverged              rounding
                              namespace
                              in flight

A prompt counts by its first admission. What a retracted request computes again after its return comes on top of the
prompt: `asked` is both, and hits and misses add up to that.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

MissClass = Literal[
    "first_seen", "diverged", "evicted", "window_gone", "in_flight", "unloaded", "page_rounding", "last_token",
    "below_page", "other_namespace", "retracted", "unknown",
]  # fmt: skip
MISS_CLASSES: tuple[MissClass, ...] = get_args(MissClass)

BEEN_THERE: tuple[MissClass, ...] = ("evicted", "window_gone", "in_flight", "unloaded", "retracted")
"""The classes of what had been in the cache, or was coming."""

UNAVOIDABLE: tuple[MissClass, ...] = ("page_rounding", "last_token")
"""The classes of what every prompt misses a little of."""


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """Sums over `requests` prompts, or one prompt. `device` and `loaded` tokens were hits, all others missed.

    `first_seen`: new, and nothing that was stored goes another way there. `diverged`: new, where the prompt left a
    path that was stored, or had been, and went on otherwise. `evicted`: there before, and gone when asked for.
    `window_gone`: the tree knew them, and the state that a hit needs there was missing. `in_flight`: another request
    was computing them. `unloaded`: found in host memory and not loaded. `page_rounding`: past the last whole page, or
    place for a state, at which a hit can end; or known, in the page in which the prompt leaves what is known.
    `last_token`: always computed, for the next one is predicted from it. `below_page`: as `page_rounding` where not
    even one page is whole. `other_namespace`: new in this namespace, stored in another one before. `retracted`:
    computed again, on top of the prompt, by a request that had been retracted. `unknown`: nothing tells, or not yet.
    """

    requests: int = 0
    prompt: int = 0
    device: int = 0
    loaded: int = 0
    first_seen: int = 0
    diverged: int = 0
    evicted: int = 0
    window_gone: int = 0
    in_flight: int = 0
    unloaded: int = 0
    page_rounding: int = 0
    last_token: int = 0
    below_page: int = 0
    other_namespace: int = 0
    retracted: int = 0
    unknown: int = 0

    @property
    def hit(self) -> int:
        """Tokens that were not computed."""
        return self.device + self.loaded

    @property
    def asked(self) -> int:
        """The prompt, and what was computed again after retractions."""
        return self.prompt + self.retracted

    @property
    def missed(self) -> int:
        """Tokens that were computed, or are to be."""
        return self.asked - self.hit

    def of(self, name: MissClass) -> int:
        """Return the missed tokens of one class."""
        tokens = getattr(self, name)
        assert isinstance(tokens, int)
        return tokens

    @property
    def worst(self) -> MissClass | None:
        """The class with the most missed tokens; None when nothing was missed."""
        worst = max(MISS_CLASSES, key=self.of)
        return worst if self.of(worst) else None


COLUMNS = len(fields(PromptTokens))

Amounts = tuple[int, ...]
"""The sums of a `PromptTokens` in the order of its fields."""

REQUESTS, PROMPT, DEVICE, LOADED = range(4)
COLUMN: dict[MissClass, int] = {miss: LOADED + 1 + place for place, miss in enumerate(MISS_CLASSES)}
"""Where each class is in `Amounts`."""

RETRACTED, UNKNOWN = COLUMN["retracted"], COLUMN["unknown"]


def shared_out(prompt: int, claims: list[int]) -> Amounts:
    """Return one prompt's tokens. Claims are those of device, loaded, and the classes in their order.

    "unknown" takes the rest; "retracted", which is not of the prompt, stays as it is. Records may say anything: where
    claims cannot be true, each gets what those before it left, so that sums hold.
    """
    retracted, place = claims[RETRACTED - DEVICE], UNKNOWN - DEVICE
    claims[place] = 0
    left = prompt - sum(claims) + retracted
    if left < 0 or min(claims) < 0:
        left = prompt = max(0, prompt)
        for i, claimed in enumerate(claims):
            if i != RETRACTED - DEVICE:
                claims[i] = min(max(0, claimed), left)
                left -= claims[i]
    claims[place] = left
    return (1, prompt, *claims)


@dataclass(frozen=True, slots=True)
class Rounding:
    """Where hits can end: at whole pages of `page_tokens`, at multiples of `grid_tokens` where states are kept there,
    and before the last `last_tokens` of a prompt, which are two where the cache knows pairs of tokens."""

    page_tokens: int = 1
    grid_tokens: int = 1
    last_tokens: int = 1

    def ceiling(self, prompt_tokens: int) -> int:
        """Return where the longest hit of a prompt ends."""
        whole = max(0, prompt_tokens - self.last_tokens)
        return whole - whole % self.page_tokens - (whole - whole % self.page_tokens) % self.grid_tokens
