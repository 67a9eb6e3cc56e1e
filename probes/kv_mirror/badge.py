"""How far one can believe what is known of a rank, in one word and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Word = Literal["complete", "repaired", "partial", "unsure"]


@dataclass(frozen=True, slots=True)
class Badge:
    """`complete`: every batch was seen. `repaired`: so it was, some of them late, from the replay.

    `partial`: what was there before `since` (ns) is not known. `unsure`: something is wrong or lost, see `why`.
    """

    word: Word
    since: int | None = None
    why: str = ""


class Trust:
    """Keeps what there is to say about a rank's mirror; a batch that clears everything settles all of it."""

    def __init__(self) -> None:
        self._partial_since: int | None = None
        self._lost = ""
        self._repaired = 0

    def joined(self, first_seq: int, at: int) -> None:
        """Note which batch was the first to be seen."""
        self.settled()
        self._partial_since = at if first_seq > 0 else None

    def repaired(self, batches: int) -> None:
        """Note batches that came from the replay in place of lost ones."""
        self._repaired += batches

    def lost(self, first: int, last: int) -> None:
        """Note batches that never came and never will."""
        self._lost = f"batch {first}" if first == last else f"batches {first} to {last}"

    def settled(self) -> None:
        """Note that all is known: nothing was there, or nothing is any more."""
        self._partial_since, self._lost, self._repaired = None, "", 0

    def badge(self, doubt: str = "") -> Badge:
        """Return the badge; `doubt` is what the mirror itself finds wrong with the stream."""
        if self._lost:
            return Badge("unsure", why=f"{self._lost} never came; all is known again when the cache is flushed")
        if doubt and self._partial_since is None:
            return Badge("unsure", why=doubt)
        if self._partial_since is not None:
            return Badge("partial", self._partial_since, "what was stored before is not known")
        return Badge("repaired", why=f"{self._repaired} from the replay") if self._repaired else Badge("complete")
