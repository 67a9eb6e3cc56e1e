"""What an export format is, and the table of formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from cache_core.registry import Registry
from profiles.forest import Forest


class Exporter(ABC):
    """Writes a forest as one text file. `suffix` is what viewers expect file names to end in."""

    suffix: ClassVar[str]

    @abstractmethod
    def render(self, forest: Forest, weight: str) -> str:
        """Return the file's text; widths are `weight`, one of those that the forest knows."""


EXPORTERS: Registry[type[Exporter]] = Registry(
    "export format",
    {
        "svg": "profiles.exporters.svg:Svg",
        "collapsed": "profiles.exporters.collapsed:Collapsed",
        "speedscope": "profiles.exporters.speedscope:Speedscope",
    },
)
