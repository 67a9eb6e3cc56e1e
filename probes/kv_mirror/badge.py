"""How far one can believe what is known of a rank, in one word and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Word = Literal["complete", "repaired", "partial", "unsure"]


@dataclass(frozen=True, slots=True)
class Badge:
    """`complete`: every batch was seen. `repaired`: so it was, some of them late, from the replay.

    `partial`: what was there before `since` (ns) is not known, or what came after the end of what was saved.
    `unsure`: something is wrong or lost, see `why`.
    """

    word: Word
    since: int | None = None
    why: str = ""


class Trust:
    """Collects what speaks against a rank's mirror, until a batch that clears all blocks settles it."""

    def __init__(self) -> None:
        self._partial_since: int | None = None
        self._missing = self._mixed = self._cut = ""
        self._never_came: tuple[int, int, int] | None = None
        """Of the batches that never came: the first, the last, how many."""
        self._unreadable: tuple[int, int, int] | None = None
        """Likewise of those that came and made no sense."""
        self._repaired = 0

    def joined(self, first_seq: int, at: int) -> None:
        """Note which batch was the first to be seen."""
        self.settled()
        if first_seq > 0:
            self._partial_since, self._missing = at, "what was stored before is not known"

    def restarted(self, at: int) -> None:
        """Note that another process publishes, of which nothing was seen yet."""
        self.settled()
        self._partial_since, self._missing = at, "the server was started anew, and has told nothing since"

    def repaired(self, batches: int) -> None:
        """Note batches that came from the replay in place of lost ones."""
        self._repaired += batches

    def lost(self, first: int, last: int, has_come: bool = False) -> None:
        """Note batches that never came and never will, or that came (`has_come`) and made no sense."""
        begins, _, count = (self._unreadable if has_come else self._never_came) or (first, last, 0)
        span = begins, last, count + last + 1 - first
        if has_come:
            self._unreadable = span
        else:
            self._never_came = span

    def mixed(self, why: str) -> None:
        """Note that what came may be of several caches."""
        self._mixed = why

    def cut(self, why: str) -> None:
        """Note that there was more, and nothing of it can be read."""
        self._cut = why

    def settled(self) -> None:
        """Note that all is known: nothing was there, or nothing is any more."""
        self._partial_since, self._repaired = None, 0
        self._missing = self._mixed = self._cut = ""
        self._never_came = self._unreadable = None

    def badge(self, wrong: str = "", unexplained: str = "") -> Badge:
        """Return the badge.

        `wrong` is a fault of the stream itself. `unexplained` is what does not fit what we know; it counts only when
        we did not join late.
        """
        if self._mixed:
            return Badge("unsure", why=self._mixed)
        lost = [f"{_batches(*self._never_came)} never came"] if self._never_came else []
        lost += [f"{_batches(*self._unreadable)} came and could not be read"] if self._unreadable else []
        if lost:
            return Badge("unsure", why=f"{', '.join(lost)}; all is known again when the cache is flushed")
        if wrong:
            return Badge("unsure", why=wrong)
        if self._partial_since is not None:
            return Badge("partial", self._partial_since, "; ".join(filter(None, (self._missing, self._cut))))
        if self._cut:
            return Badge("partial", why=self._cut)
        if unexplained:
            return Badge("unsure", why=unexplained)
        return Badge("repaired", why=f"{self._repaired} from the replay") if self._repaired else Badge("complete")


def _batches(first: int, last: int, count: int) -> str:
    """Return words such as "batch 5", "batches 3 to 7" or "4 of the batches 3 to 9"."""
    if first == last:
        return f"batch {first}"
    return f"{f'{count:,} of the ' if count < last + 1 - first else ''}batches {first} to {last}"
