"""Collapsed stacks, one line each: what flamegraph.pl, inferno and speedscope read.

    system prompt 1 ·a1b2c3;document 4 ·d4e5f6;question 9 ·778899 96

A stack is followed by its own weight, without that of longer stacks. Labels end in six hex digits behind a dot,
never in a number behind a space: the viewers would take that for the earlier weight of a differential file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from profiles.exporter import ExportOptions, TextExporter
from profiles.forest import Forest
from profiles.icicle import layout
from profiles.profile import Profile
from profiles.pruned import prune


class Collapsed(TextExporter):
    """One line per stack that has a weight of its own, sorted and equal ones summed; as they come if all are."""

    suffix = ".collapsedstack.txt"

    def pieces(self, profile: Profile, options: ExportOptions) -> Iterator[str]:
        """Yield the lines; none when nothing has this weight."""
        if options.parts is None:
            yield from _every(profile.forest, options.weight)
            return
        icicle = layout(profile.forest, options.weight, options.parts)
        stacks: Counter[str] = Counter()
        for bar in icicle.bars:
            if bar.own:
                stacks[";".join(icicle.stack(bar))] += bar.own
        yield from (f"{stack} {own}\n" for stack, own in sorted(stacks.items()))


def _every(forest: Forest, weight: str) -> Iterator[str]:
    """Yield a line per frame, of which nothing is kept."""
    column = list(forest.weights).index(weight)
    stack: list[str] = []
    for row in prune(forest, None):
        del stack[row.depth :]
        stack.append(row.label)
        if own := row.own[column]:
            yield f"{';'.join(stack)} {own}\n"
