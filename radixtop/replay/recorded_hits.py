"""What a recorded cache had found, request by request, and how far a replay is from that."""

from __future__ import annotations

from array import array

from profiles.hits import Found

FAR_POINTS = 5.0
"""A replay of what was recorded that is more points of hit rate off than this says little of its changes."""


class RecordedHits:
    """The prompt tokens and the hit tokens of each request, in the order of their first admissions."""

    __slots__ = ("hits", "prompts")

    def __init__(self) -> None:
        self.prompts, self.hits = array("q"), array("q")

    def take(self, at: int, found: Found) -> None:
        """Take in a request, or what was loaded of one that was admitted before: it counts for the newest one."""
        hit = found.device_hit_tokens + found.loaded_tokens
        if found.prompt_tokens > 0:
            self.prompts.append(found.prompt_tokens)
            self.hits.append(hit)
        elif self.hits:
            self.hits[-1] += hit

    @property
    def requests(self) -> int:
        """How many requests there are."""
        return len(self.prompts)

    @property
    def prompt_tokens(self) -> int:
        """The tokens of all prompts."""
        return sum(self.prompts)

    @property
    def hit_tokens(self) -> int:
        """Those of them that hit."""
        return sum(self.hits)

    def rate(self, first: int | None = None) -> float | None:
        """Return the hit rate (0..1) of all requests, or of the first so many; None of none."""
        prompt = sum(self.prompts[:first])
        return sum(self.hits[:first]) / prompt if prompt else None


def far_off(recorded: float | None, replayed: float | None) -> str:
    """Say how far the hit rate of a replay is from the recorded one, "" where that is little or unknown."""
    if recorded is None or replayed is None:
        return ""
    points = 100 * (replayed - recorded)
    if abs(points) <= FAR_POINTS:
        return ""
    return (
        f"replayed as it was, the recording hits {replayed:.1%} where {recorded:.1%} was recorded, "
        f"{abs(points):.1f} points off"
    )
