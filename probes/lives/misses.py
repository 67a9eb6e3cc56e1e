"""The tokens of a prompt by what became of them: hit, or missed for a reason. They add up to the prompt, always."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

MissClass = Literal["first_seen", "evicted", "window_gone", "in_flight", "unloaded", "rounding", "unknown"]
MISS_CLASSES: tuple[MissClass, ...] = (
    "first_seen", "evicted", "window_gone", "in_flight", "unloaded", "rounding", "unknown",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PromptTokens:
    """Sums over `requests` prompts, or one prompt. `device` and `loaded` tokens were hits, all others missed.

    `first_seen`: new to the cache. `evicted`: there before, and gone when asked for. `window_gone`: the tree knew
    them, and the state that a hit needs there was missing. `in_flight`: another request was computing them.
    `unloaded`: found in host memory and not loaded. `rounding`: never hits, for the last token of a prompt is always
    computed, and so is what lies past the last whole page or place for a state before it. `unknown`: nothing tells,
    or not yet.
    """

    requests: int = 0
    prompt: int = 0
    device: int = 0
    loaded: int = 0
    first_seen: int = 0
    evicted: int = 0
    window_gone: int = 0
    in_flight: int = 0
    unloaded: int = 0
    rounding: int = 0
    unknown: int = 0

    @property
    def hit(self) -> int:
        """Tokens that were not computed."""
        return self.device + self.loaded

    @property
    def missed(self) -> int:
        """Tokens that were computed, or are to be."""
        return self.prompt - self.hit

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

Amounts = tuple[int, int, int, int, int, int, int, int, int, int, int]
"""The sums of a `PromptTokens` in the order of its fields."""


def shared_out(prompt: int, hits: tuple[int, int], missed: tuple[int, int, int, int, int, int]) -> Amounts:
    """Return one prompt's tokens: the hits (device, loaded), then the classes but "unknown", which takes the rest.

    Records may say anything. Where the claims cannot be true, each gets what those before it left, so that sums hold.
    """
    claims = hits + missed
    left = prompt - sum(claims)
    if left >= 0 and min(claims) >= 0:
        return (1, prompt, *claims, left)
    left = prompt = max(0, prompt)
    given = []
    for claimed in claims:
        tokens = min(max(0, claimed), left)
        left -= tokens
        given.append(tokens)
    device, loaded, first_seen, evicted, window_gone, in_flight, unloaded, rounding = given
    return 1, prompt, device, loaded, first_seen, evicted, window_gone, in_flight, unloaded, rounding, left
