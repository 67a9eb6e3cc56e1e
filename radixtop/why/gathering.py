"""A source that gathers evidence with every tick: what is told of it without a screen says what is wrong, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from profiles.evidence.evidence import Evidence


@runtime_checkable
class Gathering(Protocol):
    """Has the evidence of everything that it took in; `radixtop.session.Session` once it was told to gather."""

    def evidence(self) -> Evidence | None:
        """Return the evidence so far; None where none is gathered."""


def gathered(source: object) -> Evidence | None:
    """Return the evidence of a source, None of one that gathers none."""
    return source.evidence() if isinstance(source, Gathering) else None
