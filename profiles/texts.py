"""Made-up texts and the dice that workloads throw: everything a function of the seed and of a name."""

from __future__ import annotations

from array import array
from math import gcd
from random import Random


def dice(seed: int, name: str, number: int) -> Random:
    """Return a random source of its own for one thing, the same in every run."""
    return Random(f"{seed}/{name}/{number}")


def popular(rng: Random, choices: int, exponent: float = 1.1) -> int:
    """Return a number below `choices`, small ones more often (Zipf: the n-th with weight n ** -exponent)."""
    return rng.choices(range(choices), [(rank + 1) ** -exponent for rank in range(choices)])[0]


class Texts:
    """Random tokens of the vocabulary by family and number; the same pair always gives the same tokens.

    Two random texts share their first token by chance, once in a vocabulary, and after a shared prefix such a
    chance makes a branch of one token that nobody meant: among a few hundred questions it is near certain in a
    small vocabulary. So the first tokens are dealt, not drawn: as long as the vocabulary reaches, no two texts
    of any families begin alike.
    """

    def __init__(self, seed: int, vocabulary: int, families: tuple[str, ...]) -> None:
        self._seed = seed
        self._vocabulary = vocabulary
        self._families = families
        rng = dice(seed, "first tokens", 0)
        self._shift = rng.randrange(vocabulary)
        self._stride = next(
            stride for stride in iter(lambda: rng.randrange(1, vocabulary), None) if gcd(stride, vocabulary) == 1
        )

    def text(self, family: str, number: int, tokens: int) -> array[int]:
        """Return the first `tokens` tokens of text `number` of `family`."""
        rng = dice(self._seed, family, number)
        text = array("i", rng.choices(range(self._vocabulary), k=tokens))
        text[0] = self._first_token(number * len(self._families) + self._families.index(family))
        return text

    def _first_token(self, card: int) -> int:
        """Return token `card` of a shuffled vocabulary (an affine permutation of it)."""
        return (self._shift + self._stride * card) % self._vocabulary
