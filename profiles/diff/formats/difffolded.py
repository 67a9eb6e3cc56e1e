"""Collapsed stacks with two counts, as difffolded.pl of the FlameGraph tools makes them: flamegraph.pl and inferno.

    system prompt 1 ·a1b2c3;document 4 ·d4e5f6 128 96

A stack is followed by its own weight before and after, without that of longer stacks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from profiles.diff.difference import Difference
from profiles.diff.format import DiffOptions, TextDiffFormat
from profiles.diff.paths import paths


class DiffFolded(TextDiffFormat):
    """One line per stack that has a weight of its own on either side, sorted, equal stacks summed."""

    suffix = ".difffolded.txt"

    def pieces(self, difference: Difference, options: DiffOptions) -> Iterator[str]:
        """Yield the lines; none when nothing has this weight."""
        place = difference.weights.index(options.weight)
        stacks: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        for row, path in paths(difference, options.parts):
            own = row.own[place]
            if own.wide:
                counts = stacks[";".join(path)]
                counts[0] += own.before
                counts[1] += own.after
        yield from (f"{stack} {before} {after}\n" for stack, (before, after) in sorted(stacks.items()))
