"""A picture as one SVG that fetches nothing and runs nothing."""

from __future__ import annotations

from typing import BinaryIO

from profiles.picture import Picture, PictureFormat
from profiles.plots.svg_shapes import drawn


class Svg(PictureFormat):
    """The drawing alone."""

    suffix = ".svg"

    def write(self, picture: Picture, out: BinaryIO) -> None:
        """See PictureFormat."""
        out.write(drawn(picture).encode("utf-8", "replace"))
