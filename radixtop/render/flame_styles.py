"""What frames of the icicle look like: grounds in the hues of a theme, mixed into its own ground."""

from __future__ import annotations

from collections.abc import Mapping

from rich.color import Color, blend_rgb
from rich.style import Style

from radixtop.render.flame_frames import Paint
from radixtop.render.lines import Role

HUES: tuple[Role, ...] = ("device", "held", "protected", "evictable")
"""Roles that lend their colours to branches."""

_STRENGTHS = (0.42, 0.30)
"""How much of the hue is in the ground of a frame, by shade."""

_HATCH_STRENGTH = 0.3
"""How much of the ink of words is in that of hatches."""

_FOLD_STRENGTHS = (0.14, 0.09)


def frame_style(paint: Paint, styles: Mapping[Role, Style], base: Style) -> Style:
    """Return the style of a frame over `base`, which is what the view itself looks like.

    A ground that cannot be mixed, because a terminal has its own colours, is the hue itself, reversed; folds stay as
    they are there.
    """
    role: Role = HUES[paint.hue % len(HUES)] if paint.hue >= 0 else "dim"
    hue, ground, ink = styles[role].color, base.bgcolor, base.color
    if paint.is_selected:
        return base + styles["title"]
    if ground is None or ink is None or hue is None or not _is_mixed(hue, ground, ink):
        return base + styles[role] + Style(reverse=paint.hue >= 0)
    strength = (_STRENGTHS if paint.hue >= 0 else _FOLD_STRENGTHS)[paint.shade % 2]
    mixed = blend_rgb(ground.get_truecolor(), hue.get_truecolor(), strength)
    strong = styles["value"].color or ink
    if paint.is_hatch:
        strong = Color.from_triplet(blend_rgb(mixed, strong.get_truecolor(), _HATCH_STRENGTH))
    return Style(color=strong if paint.hue >= 0 else ink, bgcolor=Color.from_triplet(mixed))


def _is_mixed(*colours: Color) -> bool:
    return all(colour.triplet is not None for colour in colours)
