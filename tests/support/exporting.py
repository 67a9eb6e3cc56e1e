"""Exports as bytes and as text."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

from profiles.exporter import ExportOptions, export
from profiles.forest import Forest
from profiles.profile import ForestProfile, Profile, RecordedProfile
from profiles.pruned import PARTS

Exported = Callable[..., Path]
"""Makes the file of a recording in a format, with ExportOptions."""


def exported(profile: Profile, format: str, weight: str = "tokens", parts: int | None = PARTS) -> bytes:
    """Return a profile in a format."""
    out = BytesIO()
    export(profile, format, ExportOptions(weight, parts), out)
    return out.getvalue()


def forest_text(forest: Forest, format: str, weight: str = "tokens", parts: int | None = PARTS) -> str:
    """Return a forest in a format that is text."""
    return exported(ForestProfile(forest), format, weight, parts).decode("utf-8")


def recording_text(path: Path, format: str, weight: str = "tokens") -> tuple[str, tuple[str, ...]]:
    """Return a recording in a format that is text, and what was remarked on the recording."""
    with RecordedProfile(path) as profile:
        return exported(profile, format, weight).decode("utf-8"), profile.remarks
