"""The speedscope file format, with file and line of each frame: to open at speedscope.app.

Format: https://www.speedscope.app/file-format-schema.json. The schema asks for numbers or nothing, never null.
"""

from __future__ import annotations

from typing import BinaryIO

from profiles.cpu.format import CodeFormat, Samples
from profiles.cpu.stacks import CodeFrame
from profiles.plain import json_text

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


class Speedscope(CodeFormat):
    """One sampled profile; a sample weighs one period."""

    suffix = ".speedscope.json"

    def write(self, samples: Samples, out: BinaryIO) -> None:
        """See CodeFormat."""
        places: dict[CodeFrame, int] = {}
        stacks = sorted(samples.stacks.items(), key=lambda item: [str(frame) for frame in item[0]])
        weights = [count * samples.period_ns for _, count in stacks]
        profile = {
            "type": "sampled",
            "name": samples.title,
            "unit": "nanoseconds",
            "startValue": 0,
            "endValue": sum(weights),
            "samples": [[places.setdefault(frame, len(places)) for frame in stack] for stack, _ in stacks],
            "weights": weights,
        }
        document = {
            "$schema": SCHEMA,
            "shared": {"frames": [*map(_frame, places)]},
            "profiles": [profile],
            "name": samples.title,
            "activeProfileIndex": 0,
            "exporter": "radixtop",
        }
        out.write((json_text(document, is_ascii=False, separators=(",", ":")) + "\n").encode())


def _frame(frame: CodeFrame) -> dict[str, str | int]:
    place: dict[str, str | int] = {"file": frame.file} if frame.file else {}
    return {"name": frame.name, **place, **({"line": frame.line} if frame.line else {})}
