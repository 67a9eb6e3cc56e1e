"""Collapsed stacks, one line each: what flamegraph.pl, inferno and speedscope read.

<module> (serve.py:3);step (engine.py:120);forward (model.py:40) 42
"""

from __future__ import annotations

from collections import Counter

from profiles.cpu.format import CodeFormat, Samples


class Collapsed(CodeFormat):
    """One line per stack, sorted."""

    suffix = ".collapsedstack.txt"

    def render(self, samples: Samples) -> bytes:
        """See CodeFormat."""
        lines: Counter[str] = Counter()
        for stack, count in samples.stacks.items():
            lines[";".join(map(str, stack))] += count
        return "".join(f"{stack} {count}\n" for stack, count in sorted(lines.items())).encode()
