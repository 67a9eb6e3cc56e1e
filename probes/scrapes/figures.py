"""What one scrape tells of one data-parallel rank of a server, by role: the record that scrapes are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from probes.scrapes.buckets import Buckets

SERVER = -1
"""The rank of a server as a whole: of what it tells of all its ranks together, and of one that told of none yet."""


class EngineFigures(NamedTuple):
    """The figures of a rank at a time of the reader's clock (ns). What is not known has no entry, which is not 0.

    `server` is the name that the reader knows it by, `notes` say what is inexact. The mappings never change.
    """

    at: int
    server: str
    engine: str
    rank: int
    counters: Mapping[str, float]
    gauges: Mapping[str, float]
    histograms: Mapping[str, Buckets]
    notes: tuple[str, ...] = ()
