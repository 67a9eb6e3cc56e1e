"""Colours of frames: a hue per family of segments and a shade per content, all light enough for dark text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from colorsys import hls_to_rgb

_HUES = (212, 36, 160, 335, 268, 90, 190, 15)
"""Degrees, in the order of their use: blue and orange first, which any kind of colour vision tells apart."""


def family(segment: str) -> str:
    """Return what kind of segment a name stands for: "question" for "question 7"."""
    return re.sub(r"[\s\d]+$", "", segment) or segment


def families(weighed: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the weight of each family among (segment, weight) pairs, in the order of their first mention."""
    weights: dict[str, int] = {}
    for segment, weight in weighed:
        weights[family(segment)] = weights.get(family(segment), 0) + weight
    return weights


def hues(names: Iterable[str]) -> Mapping[str, int]:
    """Give the first names a hue each; there are no more hues than eyes can tell apart."""
    return dict(zip(names, _HUES, strict=False))


def shade(hue: int | None, key: int = 0) -> str:
    """Return the fill of one content, a little lighter or darker by its key; without a hue it is grey."""
    lightness = 0.77 + (key >> 7) % 5 * 0.016
    saturation = 0.0 if hue is None else 0.58 + key % 3 * 0.07
    red, green, blue = (round(255 * part) for part in hls_to_rgb((hue or 0) / 360, lightness, saturation))
    return f"#{red:02x}{green:02x}{blue:02x}"
