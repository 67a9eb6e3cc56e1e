"""How fast an engine prefilled, measured on its own steps."""

from __future__ import annotations

from cache_core.events import EngineStep
from probes.plausible import MOST_TOKENS, measured


class PrefillRate:
    """Adds up the steps that prefilled.

    Steps that also decoded took longer than the prefill alone, so they count only while there is no other kind.
    A step without a duration was not measured.
    """

    __slots__ = ("_mixed", "_pure")

    def __init__(self) -> None:
        self._pure = [0, 0, 0]
        self._mixed = [0, 0, 0]

    def step(self, record: EngineStep) -> None:
        """Take in one step."""
        prefilled = record.prefill_tokens
        if 0 < prefilled <= MOST_TOKENS and measured(record.duration_ns):
            sums = self._mixed if record.decode_tokens else self._pure
            sums[0] += 1
            sums[1] += prefilled
            sums[2] += record.duration_ns

    @property
    def alone(self) -> bool:
        """Whether the rate is that of steps that only prefilled; else it is too low."""
        return self._pure[0] > 0

    @property
    def steps(self) -> int:
        """How many steps the rate is of."""
        return (self._pure if self.alone else self._mixed)[0]

    @property
    def tokens_per_s(self) -> float | None:
        """The rate, None without a step that says it."""
        steps, tokens, ns = self._pure if self.alone else self._mixed
        return tokens * 1e9 / ns if steps else None

    @property
    def ns_per_token(self) -> int | None:
        """What a token takes in steps that only prefilled, in whole ns so that sums are exact; None without one."""
        _, tokens, ns = self._pure
        return ns // tokens if tokens else None
