"""What is missing of a recording: blocks that are damaged, records whose numbers are nowhere, an end that never came.

records     0..63 | 64..127 | 128..191 |   torn   | 256..319     a gap: numbers that no block has
flushed at    0.1     0.2       0.3         ?         0.5        it is somewhere between 0.3 s and 0.5 s
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from probes.plural import plural


@dataclass(frozen=True, slots=True)
class Missing:
    """What is missing of the part of a recording that was read; nothing is of a whole one.

    `records` are missing in `gaps` places, all between `from_ns` and `to_ns` after its start, None without a gap.
    Damaged and repeated blocks were left out. Without `tree_known` the tree is uncertain at the end of that part.
    `ending` says how a file ends that was not closed, "" of one that was: what is before that is whole.
    """

    records: int = 0
    gaps: int = 0
    from_ns: int | None = None
    to_ns: int | None = None
    torn_blocks: int = 0
    unordered_blocks: int = 0
    tree_known: bool = True
    ending: str = ""

    @property
    def has_holes(self) -> bool:
        """Whether records are missing that others came after, so that what those amount to is not known."""
        return bool(self.gaps) or not self.tree_known

    @property
    def stretch(self) -> str:
        """When records are missing, in words; "" without a gap."""
        if self.from_ns is None or self.to_ns is None:
            return ""
        places = f"in {self.gaps:,} places " if self.gaps > 1 else ""
        return f"{places}between {self.from_ns / 1e9:.2f} s and {self.to_ns / 1e9:.2f} s"

    @property
    def line(self) -> str:
        """All of it in one line, "" where nothing is missing."""
        said = [
            f"{plural(self.records, 'record')} missing {self.stretch}" if self.gaps else "",
            f"{plural(self.torn_blocks, 'damaged block')} left out" if self.torn_blocks else "",
            f"{plural(self.unordered_blocks, 'block')} out of order left out" if self.unordered_blocks else "",
            self._uncertain,
            self.ending,
        ]
        return "; ".join(part for part in said if part)

    def document(self) -> dict[str, object] | None:
        """Return it as JSON-able values, None where nothing is missing."""
        return {**asdict(self), "said": self.line} if self.line else None

    @property
    def _uncertain(self) -> str:
        if self.tree_known:
            return ""
        return "the tree may be wrong from there on" if self.gaps else "its beginning is missing, so is the tree"


WHOLE = Missing()
"""Of what is no recording, and of one that is whole."""
