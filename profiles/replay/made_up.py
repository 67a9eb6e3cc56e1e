"""Made-up tokens for the content of a recording: equal prefixes stay equal, different ones part where they parted.

    content       [------- system prompt -------)[-- question 1 --)
                                                 [--- question 2 ---)
    tokens         7 7 7 7 7 7 7 7 7 7 7 7 7 7 7  8 8 8 8 8 8 8 8
                                                  9 9 9 9 9 9 9 9 9

Each stretch between two cuts (`profiles.growth.cuts`) has a token of its own, repeated: its row. The rest of a
prompt, which was never stored, has one that nothing else has.
"""

from __future__ import annotations

from array import array

from profiles.forest import TOP
from profiles.growth.cuts import Cuts

FIRST_TOKEN = 1
_MOST_TOKENS = (1 << 31) - 1


class MadeUp:
    """Hands out tokens. `pairs` is for caches of pairs of tokens: then every unit ends in its stretch's token.

    A unit of such a cache is a pair (i, i + 1), so one token more comes first and is the same for all.
    """

    def __init__(self, cuts: Cuts, pairs: bool = False) -> None:
        self._cuts = cuts
        self._fresh = len(cuts) + FIRST_TOKEN
        self._first = array("i", [0]) if pairs else array("i")

    def prefix(self, key: int | None, tokens: int) -> array[int]:
        """Return the tokens of the content `key`, at most so many; less when its end comes first, or none known."""
        parts = []
        units = tokens - len(self._first)
        cuts = self._cuts
        for row in cuts.up(TOP if key is None else cuts.rows.get(key, TOP)):
            length = min(cuts.end(row), units) - cuts.start(row)
            if length > 0:
                parts.append(array("i", [row + FIRST_TOKEN]) * length)
        made = self._first[:tokens]
        for part in reversed(parts):
            made.extend(part)
        return made

    def whole(self, key: int | None, units: int) -> array[int]:
        """Return the tokens of so many units: of the content `key`, then one that nothing else has, repeated."""
        tokens = units + len(self._first)
        made = self.prefix(key, tokens)
        if len(made) < tokens:
            made.extend(array("i", [self.fresh()]) * (tokens - len(made)))
        return made

    def fresh(self) -> int:
        """Return a token that nothing else has."""
        self._fresh += 1
        return self._fresh % _MOST_TOKENS
