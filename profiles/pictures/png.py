"""A picture as PNG, on a light ground. Needs Pillow, which brings a font: the extra `png`."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from typing import TYPE_CHECKING, BinaryIO

from profiles.errors import ProfilingError
from profiles.picture import COLOURS, Dot, Ink, Picture, PictureFormat, Point, Shape, Stroke, Words, printable

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

SCALE = 2
"""Pixels of the file in a pixel of the picture: sharp on today's screens."""

_FINE = 3
"""Shapes are drawn so many times larger and then made smaller, for smooth edges."""

_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
_DASH, _GAP = 4.0, 5.0


class Png(PictureFormat):
    """Shapes drawn by Pillow."""

    suffix = ".png"
    is_text = False

    def require(self) -> None:
        """See PictureFormat."""
        if find_spec("PIL") is None:
            hint = "pip install 'radixtop[png]', or name a .svg or .html"
            raise ProfilingError("PNG needs Pillow, which is not installed", hint)

    def write(self, picture: Picture, out: BinaryIO) -> None:
        """See PictureFormat."""
        self.require()
        from PIL import Image, ImageDraw

        size = (picture.width * SCALE, picture.height * SCALE)
        image = Image.new("RGB", (size[0] * _FINE, size[1] * _FINE), _colour("ground"))
        fine = ImageDraw.Draw(image)
        for shape in picture.shapes:
            _draw(shape, fine, SCALE * _FINE)
        image = image.resize(size, Image.Resampling.LANCZOS)
        sharp = ImageDraw.Draw(image)
        for shape in picture.shapes:
            _write(shape, sharp)
        image.save(out, format="PNG", optimize=True)


def _draw(shape: Shape, draw: ImageDraw, scale: float) -> None:
    """Draw what is no text."""
    match shape:
        case Stroke():
            width = max(1, round(shape.width * scale))
            for piece in _dashes(shape.points) if shape.is_dashed else (shape.points,):
                draw.line([(x * scale, y * scale) for x, y in piece], _colour(shape.ink), width, joint="curve")
        case Dot():
            radius = shape.radius + 1  # with its rim, as in the SVG
            corners = [(axis + side * radius) * scale for side in (-1, 1) for axis in shape.at]
            fill = _colour(shape.ink if shape.is_filled else "ground")
            draw.ellipse(corners, fill, _colour(shape.ink), round(2 * scale))


def _write(shape: Shape, draw: ImageDraw) -> None:
    """Write text, at its own size: fonts are smooth as they are."""
    if not isinstance(shape, Words):
        return
    from PIL import ImageFont

    font = ImageFont.load_default(shape.size * SCALE)
    at = (shape.at[0] * SCALE, shape.at[1] * SCALE)
    weight = 0.5 if shape.is_bold else 0
    text = printable(shape.text)
    draw.text(at, text, _colour(shape.ink), font, anchor=_ANCHORS[shape.anchor], stroke_width=weight)


def _dashes(points: tuple[Point, ...]) -> Iterator[tuple[Point, Point]]:
    """Yield the dashes of a line through points, each piece of them straight; the pattern goes on round corners."""
    done = 0.0
    for start, end in pairwise(points):
        length = ((end[0] - start[0]) ** 2 + (end[1] - start[1]) ** 2) ** 0.5
        place = done // (_DASH + _GAP) * (_DASH + _GAP)
        while place < done + length:
            low, high = max(place, done), min(place + _DASH, done + length)
            if low < high:
                yield _between(start, end, (low - done) / length), _between(start, end, (high - done) / length)
            place += _DASH + _GAP
        done += length


def _between(start: Point, end: Point, share: float) -> Point:
    return start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share


def _colour(ink: Ink) -> str:
    return COLOURS[ink][0]
