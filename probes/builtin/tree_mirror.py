"""The tree itself, for those who draw or export it."""

from __future__ import annotations

from dataclasses import dataclass

from probes.mirror import Mirror


@dataclass(frozen=True, slots=True)
class TreeSample:
    """The mirror of the tree. The one sample that lives on: read it on the thread that ticks, never write to it."""

    mirror: Mirror
