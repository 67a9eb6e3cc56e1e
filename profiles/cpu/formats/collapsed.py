"""Collapsed stacks, one line each: what flamegraph.pl, inferno and speedscope read.

<module> (serve.py:3);step (engine.py:120);forward (model.py:40) 42
"""

from __future__ import annotations

from collections import Counter
from typing import BinaryIO

from profiles.cpu.format import CodeFormat, Samples


class Collapsed(CodeFormat):
    """One line per stack, sorted."""

    suffix = ".collapsedstack.txt"

    def write(self, samples: Samples, out: BinaryIO) -> None:
        """See CodeFormat."""
        lines: Counter[str] = Counter()
        for stack, count in samples.stacks.items():
            lines[";".join(map(str, stack))] += count
        out.writelines(f"{stack} {count}\n".encode() for stack, count in sorted(lines.items()))
