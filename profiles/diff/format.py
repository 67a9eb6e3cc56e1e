"""What a format of differences is, and the table of formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, ClassVar

from cache_core.registry import Registry, UnknownNameError
from profiles.forest import WEIGHTS
from profiles.pruned import PARTS

if TYPE_CHECKING:
    from profiles.diff.difference import Difference


@dataclass(frozen=True, slots=True)
class DiffOptions:
    """What of a difference is to be shown, and how.

    `parts` is as in `prune`. `top` is how many frames a list has. A text fits into `width` columns, unless that is
    None, and is coloured if `colour` says so.
    """

    weight: str = "tokens"
    parts: int | None = PARTS
    top: int = 20
    width: int | None = None
    colour: bool = False


class DiffFormat(ABC):
    """Writes a difference to a file. `suffix` is what viewers expect file names to end in."""

    suffix: ClassVar[str]
    is_text: ClassVar[bool] = True

    @abstractmethod
    def write(self, difference: Difference, options: DiffOptions, out: BinaryIO) -> None:
        """Write the file to `out`. Text is UTF-8."""


class TextDiffFormat(DiffFormat):
    """A format that is text, made a piece at a time."""

    @abstractmethod
    def pieces(self, difference: Difference, options: DiffOptions) -> Iterable[str]:
        """Yield the text."""

    def write(self, difference: Difference, options: DiffOptions, out: BinaryIO) -> None:
        """See DiffFormat."""
        for piece in self.pieces(difference, options):
            out.write(piece.encode("utf-8"))


DIFF_FORMATS: Registry[type[DiffFormat]] = Registry(
    "format of differences",
    {
        "table": "profiles.diff.formats.table:Table",
        "html": "profiles.diff.formats.html:Html",
        "difffolded": "profiles.diff.formats.difffolded:DiffFolded",
        "pprof": "profiles.diff.formats.pprof:Pprof",
        "json": "profiles.diff.formats.json:Json",
    },
)


def write_difference(difference: Difference, format: str, options: DiffOptions, out: BinaryIO) -> None:
    """Write a difference in one of the DIFF_FORMATS.

    Raises UnknownNameError for another format, or for a weight that one of the two sides does not know.
    """
    known = DIFF_FORMATS.load(format)()
    if options.weight not in difference.weights:
        unknown = "is not known of both" if options.weight in WEIGHTS else "is no weight"
        raise UnknownNameError(f"{options.weight!r} {unknown}; choose from: {', '.join(difference.weights)}")
    known.write(difference, options, out)
