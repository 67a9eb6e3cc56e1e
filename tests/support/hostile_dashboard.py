"""The dashboard on a recording in which every name is hostile, as a program.

python -m tests.support.hostile_dashboard FILE
"""

from __future__ import annotations

import sys
from itertools import cycle
from pathlib import Path

from cache_core.events import Label, Namespace
from probes.adapter import Adapter, Batch
from probes.adapters.recording import RecordingAdapter
from probes.snapshot import SourceState
from radixtop.app import RadixtopApp
from radixtop.session import Session

NAMES = (
    "\x1b]0;pwned\x07title", "\x1b[2Jcleared", "\x9b31mred", "bell\x07 back\x08 tab\t new\nline\r", "\x00nul\x7fdel",
    "\x1bP+q544e\x1b\\", "\u202eturned round", "\u2066isolated\u2069", "zero\u200bwidth\ufeff",
    "日本語のプロンプト", "\U0001f469\u200d\U0001f469\u200d\U0001f467 family", "שלום", "مرحبا", "ｆｕｌｌ",
    "\udc80 lone", "[bold red]markup[/]", "e\u0301\u0302\u0303 ñ",
)  # fmt: skip


class Renamed(Adapter):
    """A recording, played to its end at once, whose labels and namespaces are replaced."""

    def __init__(self, path: Path) -> None:
        self._recording = RecordingAdapter(path, speed=float("inf"))
        self.provides = self._recording.provides  # type: ignore[misc]
        self._names = cycle(NAMES)

    def poll(self) -> Batch:
        batch = self._recording.poll()
        return Batch([(seq, self._renamed(record)) for seq, record in batch.records], batch.resync)

    def _renamed(self, record: object) -> object:
        if isinstance(record, (Label, Namespace)):
            return type(record)(record.id, next(self._names))
        return record

    def state(self) -> SourceState:
        return self._recording.state()

    def now(self) -> int:
        return self._recording.now()

    def close(self) -> None:
        self._recording.close()


def main() -> int:
    """Run until someone quits, and return the exit code."""
    session = Session(Renamed(Path(sys.argv[1])))
    app = RadixtopApp(session, title="hostile \x1b]0;title\x07")
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main())
