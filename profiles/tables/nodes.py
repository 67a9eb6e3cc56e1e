"""The nodes of a run: a row per stretch of tokens that ever was in the cache, with what it weighs."""

from __future__ import annotations

from collections.abc import Iterator

from probes.content_hash import content_hash
from profiles.forest import Forest, Frame
from profiles.profile import Profile
from profiles.pruned import prune
from profiles.table import Cell, Column, Table

_SAID = (
    Column("content", "text"), Column("parent", "text"), Column("namespace", "text"), Column("segment", "text"),
    Column("label", "text"), Column("depth", "integer"), Column("start", "integer"), Column("end", "integer"),
    Column("resident", "truth"), Column("lost", "text"),
)  # fmt: skip
_TIME = "time_ns"


def nodes(profile: Profile) -> Table:
    """Return a row per frame, parents first.

    `content` is the hash of all tokens up to `end`, `parent` that of the frame that ends at `start`. Content that is
    not told apart, or not known, has neither. Each weight is there twice: of the tokens [start, end) alone, and with
    everything below (`..._total`); time is not, as it is spent on operations.
    """
    forest = profile.forest
    weights = [weight for weight in forest.weights if weight != _TIME]
    columns = (Column(name, "integer") for weight in weights for name in (weight, f"{weight}_total"))
    return Table((*_SAID, *columns), _rows(forest))


def _rows(forest: Forest) -> Iterator[tuple[Cell, ...]]:
    path: list[str | None] = []  # the contents from the top down to the row at hand
    spaces: list[str | None] = []
    places = [place for place, weight in enumerate(forest.weights) if weight != _TIME]
    for row in prune(forest, None):
        frame = row.frame
        if frame is not None and frame.kind == "operation":
            continue
        del path[row.depth :], spaces[row.depth :]
        parent = path[-1] if path else None
        space = spaces[-1] if spaces else None
        is_space = frame is not None and frame.kind == "namespace"
        is_content = frame is not None and frame.kind == "content"
        path.append(content_hash(frame.key) if frame is not None and is_content else None)
        spaces.append(frame.segment if frame is not None and is_space else space)
        if not is_space:
            depth = row.depth - (space is not None)
            said = (path[-1], parent, space)
            pairs = (value for place in places for value in (row.own[place], row.total[place]))
            yield (*said, *_of_frame(frame if is_content else None, row.label, depth), *pairs)


def _of_frame(frame: Frame | None, label: str, depth: int) -> tuple[Cell, ...]:
    """Return what is said of a frame of content, or of none."""
    if frame is None:
        return None, label, depth, None, None, None, None
    return frame.segment, label, depth, frame.start, frame.end, frame.resident, " ".join(frame.lost) or None
