"""What can go wrong when a program is profiled, told as what, where, and what to do."""

from __future__ import annotations


class ProfilingError(Exception):
    """No profile could be made; `hint` says what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """Return the message, and the hint when there is one."""
        return f"{self.message}; {self.hint}" if self.hint else self.message
