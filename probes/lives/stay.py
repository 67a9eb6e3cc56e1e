"""How much a request computed of what it had before it was retracted."""

from __future__ import annotations

from cache_core.events import RequestAdmitted, RequestFinished, RequestPrefilled, RequestRetracted
from probes.plausible import MOST_TOKENS


class Stays:
    """The stays of a request in the cache once it was retracted: where it is, and where an earlier stay had got.

    `at` is where the first stay had got in the prompt.
    """

    __slots__ = ("_at", "_reached")

    def __init__(self, at: int) -> None:
        self._at = at
        self._reached = 0

    def admitted(self, record: RequestAdmitted) -> None:
        """Note that a stay begins, with what hit."""
        self._at = max(0, record.device_hit_tokens)

    def prefilled(self, record: RequestPrefilled) -> int:
        """Note a chunk; return how many tokens of it had been there in an earlier stay."""
        start = max(self._at, record.device_hit_tokens + record.host_hit_tokens)
        return self._goes_to(start, start + record.new_tokens)

    def ended(self, record: RequestFinished | RequestRetracted) -> int:
        """Note the end of a stay; return how many tokens, of which nothing was told before, it computed again.

        Who answered had computed the whole prompt, and one token for each output.
        """
        answered = type(record) is RequestFinished or record.output_tokens > 0
        start = max(self._at, record.device_hit_tokens + record.host_hit_tokens)
        again = self._goes_to(start, max(start, record.prompt_tokens)) if answered else 0
        reached = self._at + (max(0, record.output_tokens) if answered else 0)
        self._reached = min(MOST_TOKENS, max(self._reached, reached))
        return again

    def _goes_to(self, start: int, end: int) -> int:
        self._at = max(self._at, min(end, MOST_TOKENS))
        return max(0, min(end, self._reached) - start)
