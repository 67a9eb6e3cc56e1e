"""What py-spy says, told apart from what the command says that it started: both write to the same streams."""

from __future__ import annotations

from collections.abc import Callable

ALL = (b"",)
"""The beginnings of lines where py-spy alone speaks."""

_KEPT_BYTES = 1 << 16


class Overheard:
    """One stream. Lines that begin as py-spy's do are kept in `own`, the others told as they come.

    With `to_the_end` everything that follows such a line is py-spy's, too: its errors take several lines.
    """

    def __init__(
        self, beginnings: tuple[bytes, ...], tell: Callable[[bytes], None], to_the_end: bool = False
    ) -> None:
        self.own = b""
        self._beginnings = beginnings
        self._tell = tell
        self._to_the_end = to_the_end
        self._ending = False
        self._rest = b""

    def take(self, piece: bytes) -> None:
        """Take in what was written."""
        *lines, rest = (self._rest + piece).split(b"\n")
        for line in lines:
            self._line(line + b"\n")
        self._rest = rest[-_KEPT_BYTES:]

    def close(self, succeeded: bool) -> None:
        """Take in the end; what looked like an error of py-spy's is none of its when it succeeded."""
        if self._rest:
            self._line(self._rest)
        if succeeded and self._to_the_end and self._beginnings != ALL and self.own:
            self._tell(self.own)

    def _line(self, line: bytes) -> None:
        if self._ending or line.startswith(self._beginnings):
            self._ending = self._to_the_end
            self.own = (self.own + line)[-_KEPT_BYTES:]
        else:
            self._tell(line)
