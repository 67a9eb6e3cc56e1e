"""The nodes of a run: a row per stretch of tokens that ever was in the cache, with what it weighs."""

from __future__ import annotations

from collections.abc import Iterator

from probes.content_hash import content_hash
from profiles.forest import Forest
from profiles.profile import Profile
from profiles.pruned import prune
from profiles.table import Cell, Column, Table

_SAID = (
    Column("content", "text"), Column("parent", "text"), Column("namespace", "text"), Column("segment", "text"),
    Column("label", "text"), Column("depth", "integer"), Column("start", "integer"), Column("end", "integer"),
    Column("resident", "truth"), Column("lost", "text"),
)  # fmt: skip


def nodes(profile: Profile) -> Table:
    """Return a row per frame, parents first.

    `content` is the hash of all tokens up to `end`, `parent` that of the frame that ends at `start`. Each weight is
    there twice: of the tokens [start, end) alone, and with everything below (`..._total`).
    """
    forest = profile.forest
    weights = tuple(Column(name, "integer") for weight in forest.weights for name in (weight, f"{weight}_total"))
    return Table((*_SAID, *weights), _rows(forest))


def _rows(forest: Forest) -> Iterator[tuple[Cell, ...]]:
    path: list[str | None] = []  # the contents from the top down to the row at hand
    spaces: list[str | None] = []
    for row in prune(forest, None):
        frame = row.frame
        assert frame is not None, "nothing is folded when everything is asked for"
        del path[row.depth :], spaces[row.depth :]
        parent = path[-1] if path else None
        space = spaces[-1] if spaces else None
        is_space = not frame.end
        path.append(None if is_space else content_hash(frame.key))
        spaces.append(frame.segment if is_space else space)
        if not is_space:
            depth = row.depth - (space is not None)
            lost = " ".join(frame.lost) or None
            said = (path[-1], parent, space, frame.segment, row.label, depth, frame.start, frame.end)
            pairs = (value for pair in zip(row.own, row.total, strict=True) for value in pair)
            yield (*said, frame.resident, lost, *pairs)
