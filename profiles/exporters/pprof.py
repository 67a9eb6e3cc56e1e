"""The format of pprof, for `go tool pprof`, Pyroscope, Parca and others: every weight and label in one file."""

from __future__ import annotations

from typing import BinaryIO

from profiles.dates import origin_of
from profiles.exporter import Exporter, ExportOptions
from profiles.forest import UNITS
from profiles.pprof.messages import Head, write_pprof
from profiles.profile import Profile
from profiles.pruned import prune


class Pprof(Exporter):
    """A profile with a sample type per weight; the chosen one is the default."""

    suffix = ".pb.gz"
    is_text = False

    def write(self, profile: Profile, options: ExportOptions, out: BinaryIO) -> None:
        """See Exporter."""
        rows = ((row, row.own) for row in prune(profile.forest, options.parts))
        write_pprof(_head(profile, options.weight), rows, out)


def _head(profile: Profile, weight: str) -> Head:
    forest = profile.forest
    kinds = tuple((known, UNITS[known]) for known in forest.weights)
    origin, span_ns = origin_of(profile.config), profile.span_ns
    if span_ns is None:
        return Head(forest.title, kinds, weight)
    first, last = span_ns
    return Head(forest.title, kinds, weight, 0 if origin is None else origin.date_ns(first), last - first)
