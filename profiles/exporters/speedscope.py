"""The speedscope file format: a profile per weight, to open at speedscope.app or with `npx speedscope`.

Format: https://www.speedscope.app/file-format-schema.json. The schema asks for numbers or nothing, never null.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from profiles.exporter import ExportOptions, TextExporter
from profiles.forest import Frame
from profiles.icicle import Icicle, layout
from profiles.profile import Profile

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


class Speedscope(TextExporter):
    """One sampled profile per weight that the forest knows; the viewer opens the chosen one first."""

    suffix = ".speedscope.json"

    def pieces(self, profile: Profile, options: ExportOptions) -> Iterator[str]:
        """Yield the JSON document."""
        forest = profile.forest
        frames = _FrameTable()
        profiles = [_profile(layout(forest, each, options.parts), frames) for each in forest.weights]
        document = {
            "$schema": SCHEMA,
            "shared": {"frames": frames.table},
            "profiles": profiles,
            "name": forest.title or "radixtop",
            "activeProfileIndex": list(forest.weights).index(options.weight),
            "exporter": "radixtop",
        }
        yield json.dumps(document, ensure_ascii=False, separators=(",", ":")) + "\n"


class _FrameTable:
    """The frames of all profiles. A content is one frame in all of them; folds of the same label share one."""

    def __init__(self) -> None:
        self.table: list[Mapping[str, str]] = []
        self._places: dict[tuple[int | None, str], int] = {}

    def place(self, frame: Frame | None, label: str) -> int:
        """Return the place of a frame in the table, entering it first if need be."""
        identity = (None if frame is None else frame.key, label)
        if identity not in self._places:
            self._places[identity] = len(self.table)
            self.table.append({"name": label})
        return self._places[identity]


def _profile(icicle: Icicle, frames: _FrameTable) -> dict[str, object]:
    stacks: list[list[int]] = []
    for bar in icicle.bars:
        above = stacks[bar.parent] if bar.depth else []
        stacks.append([*above, frames.place(bar.frame, bar.label)])
    # From left to right, and a bar's own part lies to the right of what hangs below it.
    samples = sorted((bar.offset + bar.total - bar.own, bar.own, stack)
                     for bar, stack in zip(icicle.bars, stacks, strict=True) if bar.own)  # fmt: skip
    return {
        "type": "sampled",
        "name": icicle.name,
        "unit": "none",
        "startValue": 0,
        "endValue": icicle.total,
        "samples": [stack for _, _, stack in samples],
        "weights": [own for _, own, _ in samples],
    }
