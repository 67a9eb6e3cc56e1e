"""A run in stretches of equal length, at most some: the longer it is, the longer they are."""

from __future__ import annotations

from profiles.evidence.accounts import Lost
from profiles.evidence.evidence import Stretch

MOST_STRETCHES = 128
_FIRST_SHIFT = 20


class _Sums:
    __slots__ = ("hit", "lost", "prompt", "requests")

    def __init__(self) -> None:
        self.requests = self.prompt = self.hit = 0
        self.lost: dict[str, int] = {}

    def add(self, requests: int, prompt: int, hit: int, lost: Lost) -> None:
        self.requests += requests
        self.prompt += prompt
        self.hit += hit
        for name, tokens in lost.items():
            self.lost[name] = self.lost.get(name, 0) + tokens


class Course:
    """Counts requests in the stretch of their admission; stretches are 2^n ns long, twice as long when too many."""

    def __init__(self) -> None:
        self._shift = _FIRST_SHIFT
        self._sums: dict[int, _Sums] = {}

    def add(self, after_ns: int, prompt: int, hit: int, lost: Lost) -> None:
        """Count a request admitted so long after the start."""
        while after_ns >> self._shift >= MOST_STRETCHES:
            self._halve()
        self._sums.setdefault(max(0, after_ns) >> self._shift, _Sums()).add(1, prompt, hit, lost)

    def frozen(self) -> tuple[Stretch, ...]:
        """Return the stretches in which there were requests, in their order."""
        width = 1 << self._shift
        return tuple(
            Stretch(place * width, (place + 1) * width, sums.requests, sums.prompt, sums.hit, dict(sums.lost))
            for place, sums in sorted(self._sums.items())
        )

    def _halve(self) -> None:
        self._shift += 1
        before, self._sums = self._sums, {}
        for place, sums in before.items():
            both = self._sums.setdefault(place >> 1, _Sums())
            both.add(sums.requests, sums.prompt, sums.hit, sums.lost)


def joined(stretches: tuple[Stretch, ...]) -> Stretch | None:
    """Return several stretches as one; None of none."""
    if not stretches:
        return None
    sums = _Sums()
    for each in stretches:
        sums.add(each.requests, each.prompt_tokens, each.hit_tokens, each.lost)
    return Stretch(stretches[0].from_ns, stretches[-1].to_ns, sums.requests, sums.prompt, sums.hit, sums.lost)
