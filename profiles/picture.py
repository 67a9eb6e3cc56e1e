"""What a picture of figures is, and the table of formats that it can be written in.

A picture is shapes in pixels, x to the right and y downwards, later ones above earlier ones, in inks that have a
colour on a light ground and one on a dark one. Beside it stands a table with the figures that it is made of.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Literal

from cache_core.registry import Registry

Ink = Literal["ground", "ink", "soft", "grid", "a", "b", "c", "d", "e", "f"]
Point = tuple[float, float]

COLOURS: Mapping[Ink, tuple[str, str]] = {
    "ground": ("#ffffff", "#10151d"),
    "ink": ("#1b2430", "#e8edf5"),
    "soft": ("#5c6878", "#95a3b8"),
    "grid": ("#e6eaf0", "#263041"),
    "a": ("#d9480f", "#ff8a4c"),
    "b": ("#1c6fd1", "#5aa9ff"),
    "c": ("#2b8a3e", "#5fd08a"),
    "d": ("#862e9c", "#d09be6"),
    "e": ("#8f6b00", "#e5c04a"),
    "f": ("#0b7285", "#4fc3d9"),
}
"""The colour of each ink on a light and on a dark ground."""

HUES: tuple[Ink, ...] = ("a", "b", "c", "d", "e", "f")
"""The inks of what is to be told apart."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line through points."""

    points: tuple[Point, ...]
    ink: Ink
    width: float = 1.0
    is_dashed: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A disc, or a ring that is not filled; `told` is what it says when it is pointed at."""

    at: Point
    ink: Ink
    radius: float = 4.0
    is_filled: bool = True
    told: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text that begins, has its middle, or ends at a point on its base line."""

    at: Point
    text: str
    ink: Ink = "soft"
    size: float = 12.0
    anchor: Literal["start", "middle", "end"] = "start"
    is_bold: bool = False


Shape = Stroke | Dot | Words


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes of one size, what they show in a title and in a sentence, and the table that they are made of."""

    title: str
    said: str
    width: int
    height: int
    shapes: tuple[Shape, ...]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


class PictureFormat(ABC):
    """Writes a picture to a file. `suffix` is what its name ends in."""

    suffix: ClassVar[str]
    is_text: ClassVar[bool] = True

    def require(self) -> None:
        """Raise ProfilingError where what it takes is not installed."""

    @abstractmethod
    def write(self, picture: Picture, out: BinaryIO) -> None:
        """Write the file to `out`; see `require`. Text is UTF-8."""


def printable(text: str) -> str:
    """Return a text with nothing in it that a reader could take for anything but text; ends of lines stay."""
    return "".join(character if character.isprintable() or character == "\n" else "·" for character in text)


PICTURES: Registry[type[PictureFormat]] = Registry(
    "picture format",
    {
        "svg": "profiles.pictures.svg:Svg",
        "html": "profiles.pictures.html:Html",
        "png": "profiles.pictures.png:Png",
    },
)
