"""From a recording to a flame graph: one call for commands and scripts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from cache_core.registry import UnknownNameError
from profiles.exporter import EXPORTERS
from profiles.forest import WEIGHTS
from profiles.forest_builder import grow
from profiles.recording import Recording


@dataclass(frozen=True, slots=True)
class Flame:
    """An exported flame graph. Viewers expect file names to end in `suffix`; `remarks` say what the source lacks."""

    text: str
    suffix: str
    remarks: tuple[str, ...] = ()


def render(path: Path | str, format: str, weight: str = "tokens") -> Flame:
    """Return the tree of a recording in one of the EXPORTERS, widths one of the WEIGHTS.

    Raises UnknownNameError for another format or weight, RecordingError for a file that cannot be read.
    """
    exporter = EXPORTERS.load(format)()
    if weight not in WEIGHTS:
        raise UnknownNameError(f"unknown weight {weight!r}; choose from: {', '.join(WEIGHTS)}")
    with Recording(path) as recording:
        forest = grow(recording.records(), recording.components, recording.title)
        remarks = recording.remarks
    return Flame(exporter.render(forest, weight), exporter.suffix, remarks)
