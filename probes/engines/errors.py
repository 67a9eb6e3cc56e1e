"""What can go wrong with a server that is asked over HTTP.

EngineError                 a server does not say what it was asked
|- UnreachableError         no way to it: refused, no such name, no route
|  `- SlowAnswerError       nothing, or not all of it, came in time
|- UntrustedError           its certificate, or the lack of one of ours
|- DeniedError              it wants another key, or any
|- UnknownPathError         it has no such page
|- ServerFailedError        it failed itself (5xx)
|- WrongProtocolError       what listens there speaks something else
`- BadAnswerError           an answer that is none: too large, no JSON, cut off, a detour
"""

from __future__ import annotations

from probes.errors import ProbeError


class EngineError(ProbeError):
    """A server does not say what it was asked; `message` names its address, `hint` says what to do."""


class UnreachableError(EngineError):
    """There is no way to the server."""


class SlowAnswerError(UnreachableError):
    """The server did not answer, or not to the end, in the time that an answer may take."""


class UntrustedError(EngineError):
    """The two do not trust each other: the certificate of the server, or of this client."""


class DeniedError(EngineError):
    """The server wants a key, or not this one."""


class UnknownPathError(EngineError):
    """The server answers and has no such page."""


class ServerFailedError(EngineError):
    """The server says that it failed."""


class WrongProtocolError(EngineError):
    """What listens there does not speak what it was spoken to."""


class BadAnswerError(EngineError):
    """The answer cannot be used."""
