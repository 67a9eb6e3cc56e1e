"""What an export format is, and the table of formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, ClassVar, Literal

from cache_core.registry import Registry, UnknownNameError
from probes.errors import ProbeError
from profiles.forest import WEIGHTS
from profiles.profile import Profile
from profiles.pruned import PARTS


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What an export is to show.

    `weight` is what the width of a frame stands for. Frames below one part of `parts` of the whole are folded
    together, so that no token is lost; with None every frame is written. `table` is one of the TABLES; with None the
    format chooses.
    """

    weight: str = "tokens"
    parts: int | None = PARTS
    table: str | None = None


class ExportError(ProbeError):
    """A profile cannot be written in a format here; `hint` says what to do about it."""


class Exporter(ABC):
    """Writes a profile to a file. `suffix` is what viewers expect file names to end in.

    `shows` is what of the profile is written: its forest, its records on a timeline, or tables of either.
    """

    suffix: ClassVar[str]
    shows: ClassVar[Literal["forest", "timeline", "tables"]] = "forest"
    is_text: ClassVar[bool] = True

    @abstractmethod
    def write(self, profile: Profile, options: ExportOptions, out: BinaryIO) -> None:
        """Write the file to `out`, piece by piece. Text is UTF-8."""


class TextExporter(Exporter):
    """An exporter of a text that is made a piece at a time."""

    @abstractmethod
    def pieces(self, profile: Profile, options: ExportOptions) -> Iterable[str]:
        """Yield the text."""

    def write(self, profile: Profile, options: ExportOptions, out: BinaryIO) -> None:
        """See Exporter."""
        for piece in self.pieces(profile, options):
            out.write(piece.encode("utf-8"))


EXPORTERS: Registry[type[Exporter]] = Registry(
    "export format",
    {
        "html": "profiles.exporters.html:Html",
        "svg": "profiles.exporters.svg:Svg",
        "collapsed": "profiles.exporters.collapsed:Collapsed",
        "speedscope": "profiles.exporters.speedscope:Speedscope",
        "pprof": "profiles.exporters.pprof:Pprof",
        "chrome_trace": "profiles.exporters.chrome_trace:ChromeTrace",
        "parquet": "profiles.exporters.parquet:Parquet",
        "csv": "profiles.exporters.csv_table:Csv",
        "markdown": "profiles.exporters.markdown:Markdown",
    },
)


def export(profile: Profile, format: str, options: ExportOptions, out: BinaryIO) -> None:
    """Write a profile in one of the EXPORTERS.

    Raises UnknownNameError for another format or for a weight that there is not, RecordingError for a profile that
    cannot be read or lacks what the format shows.
    """
    exporter = EXPORTERS.load(format)()
    if options.weight not in WEIGHTS:
        raise UnknownNameError(f"unknown weight {options.weight!r}; choose from: {', '.join(WEIGHTS)}")
    if exporter.shows == "forest" and options.weight not in profile.forest.weights:
        known = ", ".join(profile.forest.weights)
        raise UnknownNameError(f"{options.weight!r} is not known of this run; choose from: {known}")
    exporter.write(profile, options, out)
