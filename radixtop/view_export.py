"""What is on screen as a file: the tree as a flame graph, any other view as the samples that its panels show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from probes.snapshot import Snapshot
from profiles.plain import json_text, plain
from radixtop.messages import Exported
from radixtop.output import write_new

if TYPE_CHECKING:
    from probes.mirror import Mirror

TREE = "tree"
TREE_FORMAT = "html"


@dataclass(frozen=True, slots=True)
class View:
    """What is on screen: a view by name, the classes of the samples that it shows, and the snapshot they are in.

    `more` are values of its own that belong into the file.
    """

    name: str
    samples: Sequence[type]
    snapshot: Snapshot
    more: Mapping[str, object] = field(default_factory=dict)


def export_view(view: View, mirror: Mirror | None, folder: Path, when: datetime) -> Path:
    """Write a view to a new file in `folder` and return its path. Raises OSError when it cannot be written.

    Call it on the thread that ticks: the tree is read from its mirror. Neither kind of file holds text of prompts.
    """
    if view.name == TREE and mirror is not None:
        suffix, raw = _tree(mirror, view.snapshot)
    else:
        suffix, raw = ".json", (json_text(document(view), indent=1) + "\n").encode()
    path = folder / f"radixtop-{view.name}-{when:%Y%m%d-%H%M%S}{suffix}"
    write_new(path, raw)
    return path


def exported(view: View, mirror: Mirror | None) -> Exported:
    """Write a view into the current folder and return what became of it."""
    try:
        return Exported(export_view(view, mirror, Path.cwd(), datetime.now()).name)
    except OSError as error:
        return Exported("", f"{error.filename or 'the current folder'}: {error.strerror}")


def document(view: View) -> dict[str, object]:
    """Return what a view shows: when, of what, and its samples by class."""
    snapshot = view.snapshot
    found = {cls.__name__: snapshot.get(cls) for cls in view.samples}
    return {
        "view": view.name,
        "source": snapshot.source.name,
        "state": snapshot.source.state,
        "at_ns": snapshot.now,
        "config": plain(snapshot.source.config),
        "samples": {name: plain(sample) for name, sample in found.items()},
        **view.more,
    }


def _tree(mirror: Mirror, snapshot: Snapshot) -> tuple[str, bytes]:
    from profiles.exporter import EXPORTERS, ExportOptions, export
    from profiles.profile import of_mirror

    out = BytesIO()
    config = snapshot.source.config
    title = str(config.get("workload") or snapshot.source.name)
    export(of_mirror(mirror, config, title), TREE_FORMAT, ExportOptions(), out)
    return EXPORTERS.load(TREE_FORMAT).suffix, out.getvalue()
