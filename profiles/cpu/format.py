"""What a format of sampled code is, and the table of formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import BinaryIO, ClassVar

from cache_core.registry import Registry
from profiles.cpu.stacks import Stacks


@dataclass(frozen=True, slots=True)
class Samples:
    """Stacks with how often each was seen, once every `period_ns`; `title` says of what."""

    title: str
    stacks: Stacks
    period_ns: int


class CodeFormat(ABC):
    """Writes samples as one file. `suffix` is what viewers expect file names to end in."""

    suffix: ClassVar[str]
    is_text: ClassVar[bool] = True

    @abstractmethod
    def write(self, samples: Samples, out: BinaryIO) -> None:
        """Write the file to `out`. Text is UTF-8."""


CODE_FORMATS: Registry[type[CodeFormat]] = Registry(
    "format of sampled code",
    {
        "html": "profiles.cpu.formats.html:Html",
        "speedscope": "profiles.cpu.formats.speedscope:Speedscope",
        "collapsed": "profiles.cpu.formats.collapsed:Collapsed",
        "pprof": "profiles.cpu.formats.pprof:Pprof",
    },
)
