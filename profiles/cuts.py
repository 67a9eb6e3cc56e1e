"""The cuts of a run: every place where a node ever began or ended, and the stretches of tokens between them.

A content key names the tokens up to a node's end, wherever the node starts. Over the life of a cache one key has
nodes of different starts: a split moves the start of the lower half, and content that comes back after its
eviction may be cut in other places. All of them are cuts of one path, and the stretches between neighbouring
cuts are the common refinement of every tree that the run went through.

    one life     [------- a -------)[--- b ---)            keys a, b
    another      [-- c --)[-------- b --------)            keys c, b
    stretches    [-- c --)[-- a ---)[--- b ---)            c above a above b
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from probes.mirror_node import MirrorNode


@dataclass(slots=True)
class Stretch:
    """The tokens [start, end) before the end of `key`; `parent` is the key that ends at `start`, None at 0."""

    key: int
    parent: int | None
    start: int
    end: int
    namespace: int


LONGEST_KEY = 1 << 31
"""No key has more tokens: slot numbers are 32 bits long."""


class Cuts:
    """The stretches of a run by content key.

    A stretch has tokens and begins where its parent ends, so a way up always comes to position 0. What a damaged or
    forged stream says against that is left out.
    """

    def __init__(self) -> None:
        self.stretches: dict[int, Stretch] = {}

    def note(self, node: MirrorNode) -> None:
        """Take in the two ends of a node; its parent's must have been taken in before."""
        above = node.parent
        parent = above.content_key if above is not None and above.parent is not None else None
        self.enter(Stretch(node.content_key, parent, node.start, node.end, node.namespace))

    def enter(self, stretch: Stretch) -> None:
        """Take in the two ends of a stretch, which is kept and may be cut later; its parent must be there already."""
        if not self._end_of(stretch.parent) == stretch.start < stretch.end <= LONGEST_KEY:
            return
        known = self.stretches.get(stretch.key)
        if known is None:
            self.stretches[stretch.key] = stretch
        elif known.end == stretch.end:
            self._cut(stretch.key, stretch.start, stretch.parent)

    def up(self, key: int) -> Iterator[Stretch]:
        """Yield the stretches of a key, the one at its end first."""
        stretch = self.stretches.get(key)
        while stretch is not None:
            yield stretch
            stretch = None if stretch.parent is None else self.stretches[stretch.parent]

    def _end_of(self, key: int | None) -> int | None:
        """Return where the content `key` ends, 0 for that of the root, None for one that was not taken in."""
        if key is None:
            return 0
        stretch = self.stretches.get(key)
        return None if stretch is None else stretch.end

    def _cut(self, key: int, start: int, parent: int | None) -> None:
        """Put a cut at `start`, where the key `parent` ends, into the path of `key`."""
        stretch = self.stretches[key]
        while start != stretch.start:
            if start > stretch.start:
                stretch.start, start = start, stretch.start
                stretch.parent, parent = parent, stretch.parent
            # What remains is a cut further up.
            assert stretch.parent is not None, f"{key=} has a cut at {start=} and nothing above {stretch.start=}"
            stretch = self.stretches[stretch.parent]
