"""What the screen asks about marked moments. It asks with every frame, the first one too: so nothing is imported."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

_ANSWERER = "radixtop.comparison.answerer:CompareAnswerer"


@dataclass(frozen=True, slots=True)
class MarkQuestion:
    """How often a moment was marked. It has no answer: whoever is asked keeps the moment in which the number grew."""

    answerer: ClassVar[str] = _ANSWERER

    number: int


@dataclass(frozen=True, slots=True)
class CompareQuestion:
    """What changed since the moment that was marked last."""

    answerer: ClassVar[str] = _ANSWERER
