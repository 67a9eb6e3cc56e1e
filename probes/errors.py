"""What can go wrong with a ring, a recording or a server, told as what, where, and what to do.

ProbeError
|- RingError         a ring cannot be made, or none can be read
|- RecordingError    a recording cannot be written or read
|- PublishError      events cannot be published at an address
|- WireError         what a server sent cannot be read
|- FeedError         events cannot be followed at an address
|- EngineError       a server does not say what it was asked (`engines/errors.py`)
|  |- UnreachableError     no way to it
|  |  `- SlowAnswerError   nothing, or not all of it, came in time
|  |- UntrustedError       its certificate, or the lack of one of ours
|  |- DeniedError          it wants another key, or any
|  |- UnknownPathError     it has no such page
|  |- ServerFailedError    it failed itself
|  |- WrongProtocolError   what listens there speaks something else
|  `- BadAnswerError       an answer that is none
`- TextError         there is no text for tokens
   `- UnreadableTokensError   for these tokens, perhaps for others
"""

from __future__ import annotations


class ProbeError(Exception):
    """An input or output of the probes failed; `hint` says what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        """Return the message, and the hint when there is one."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


class RingError(ProbeError):
    """A ring cannot be made here, or the one asked for cannot be read."""


class RecordingError(ProbeError):
    """A recording cannot be written here, or the file is no recording that can be read."""


class PublishError(ProbeError):
    """Events cannot be published at the address that was given."""


class WireError(ProbeError):
    """What a server sent cannot be read as what it should be."""


class FeedError(ProbeError):
    """Events cannot be followed at the address that was given."""


class TextError(ProbeError):
    """There is no text for tokens: nobody is there to tell it."""


class UnreadableTokensError(TextError):
    """There is no text for some tokens; for others there may be."""
