"""Which admission of a request counts: its first. What a retracted one finds on its return is its own leftovers."""

from __future__ import annotations

from probes.newest import forget_oldest

_MOST_RETRACTED = 1 << 16


class FirstAdmissions:
    """Remembers who was retracted, so that a return is known for what it is."""

    __slots__ = ("_retracted",)

    def __init__(self) -> None:
        self._retracted: dict[int, None] = {}

    def admitted(self, request: int) -> bool:
        """Note that a request was admitted, and say whether for the first time."""
        if request not in self._retracted:
            return True
        del self._retracted[request]
        return False

    def retracted(self, request: int) -> None:
        """Note that a request was retracted; it may return."""
        self._retracted[request] = None
        if len(self._retracted) > _MOST_RETRACTED:  # those at the front were aborted and never return
            forget_oldest(self._retracted)

    def ended(self, request: int) -> None:
        """Note that a request ended; whoever comes with its number is someone else."""
        self._retracted.pop(request, None)
