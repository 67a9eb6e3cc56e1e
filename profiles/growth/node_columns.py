"""The nodes of a mirror as columns: what a forest is made of, copied out at once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from probes.mirror import Mirror
from probes.mirroring.columns import ROOT
from probes.mirroring.segments import UNLABELLED, Segments
from profiles.columns import Column
from profiles.forest import TOP


@dataclass(frozen=True, slots=True)
class NodeColumns:
    """One row per node but the root. `parents` are rows; `live` and `copied` have a bit per component.

    `labels` has the label from the start of each node on, UNLABELLED where there is none; of the rows in `named` all
    segments are there instead.
    """

    parents: Column
    keys: Column
    starts: Column
    lengths: Column
    live: Column
    copied: Column
    namespaces: Column
    hit_tokens: Column
    recomputed_tokens: Column
    labels: Column
    named: Mapping[int, Segments]

    def segments(self, row: int) -> Segments:
        """Return the named segments of a node."""
        known = self.named.get(row)
        if known is not None:
            return known
        label = int(self.labels[row])
        return () if label == UNLABELLED else ((int(self.starts[row]), label),)

    def labelled(self) -> Iterator[tuple[int, Segments]]:
        """Yield the content key and the segments of every node that has some."""
        for row, key in enumerate(self.keys.tolist()):
            segments = self.segments(row)
            if segments:
                yield key, segments


def node_columns(mirror: Mirror) -> NodeColumns:
    """Return the nodes of a mirror as they are now; call it on the thread that ticks."""
    columns = mirror.columns
    slots = np.flatnonzero(columns.alive)[1:]
    rows = np.full(columns.used, TOP)
    rows[slots] = np.arange(len(slots))
    assert rows[ROOT] == TOP, f"{rows[ROOT]=}"

    def of(field: str) -> Column:
        return columns.view(field)[slots]

    return NodeColumns(
        parents=rows[of("parent")],
        keys=of("content_key"),
        starts=of("start"),
        lengths=of("length"),
        live=of("live"),
        copied=of("copied"),
        namespaces=of("namespace"),
        hit_tokens=of("hit_tokens"),
        recomputed_tokens=of("recomputed_tokens"),
        labels=of("label"),
        named={int(rows[slot]): segments for slot, segments in columns.segments.items() if slot != ROOT},
    )
