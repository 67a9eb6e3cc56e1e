"""The names of namespaces and labels, without those that nothing has used for long."""

from __future__ import annotations

from collections.abc import Callable, Container

SPARE_NAMES = 8192
"""How many unused names are kept. A writer tells a name again before it has told so many others."""


class Names(dict[int, str]):
    """Texts by id, the ones told last at the end.

    A cache may meet a new namespace with every user for as long as it lives; a reader then holds only the names in
    use and the `spare` ones told last, at most twice as many before it looks for those to forget.
    """

    __slots__ = ("_limit", "_spare")

    def __init__(self, spare: int = SPARE_NAMES) -> None:
        super().__init__()
        self._spare = spare
        self._limit = 2 * spare

    def tell(self, id_: int, text: str, used: Callable[[], Container[int]]) -> None:
        """Take in a name; `used` returns the ids in use, and is called only when there are too many names."""
        self.pop(id_, None)
        self[id_] = text
        if len(self) > self._limit:
            in_use = used()
            unused = [known for known in self if known not in in_use]
            for known in unused[: max(0, len(unused) - self._spare)]:
                del self[known]
            self._limit = 2 * max(self._spare, len(self))
