"""A distribution that is shown of a rank, and whether it is that of all ranks of its server."""

from __future__ import annotations

from dataclasses import dataclass

from probes.scrapes.buckets import Spread


@dataclass(frozen=True, slots=True)
class ToldSpread:
    """A distribution of a rank; with `of_all` its server tells it of all ranks at once."""

    spread: Spread
    of_all: bool
