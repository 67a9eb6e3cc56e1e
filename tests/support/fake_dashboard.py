"""The dashboard over a made-up cache, as a program: python -m tests.support.fake_dashboard [WORD ...].

`1`: the engine dies. `bug`: help fails. `no mouse`: no mouse.
"""

from __future__ import annotations

import sys

from probes.snapshot import Snapshot
from radixtop.app import RadixtopApp
from radixtop.settings.settle import settle
from radixtop.watch import Showing, watch
from tests.support.watched import FakeSource


class DyingSource(FakeSource):
    """A source whose engine dies at the second tick."""

    def tick(self, now: int) -> Snapshot:
        """Return the snapshot of now."""
        if self.ticks == 1:
            self.die("lost", "engine was killed")
        return super().tick(now)


def fail(app: RadixtopApp) -> None:
    """Stand in for a handler with a bug."""
    raise ZeroDivisionError


def main() -> int:
    """Run until someone quits, and return the exit code."""
    words = sys.argv[1:]
    source = DyingSource() if "1" in words else FakeSource()
    if "bug" in words:
        RadixtopApp.action_help = fail  # type: ignore[method-assign]
    settings = settle({"interval": 0.1, "mouse": "no mouse" not in words}).settings
    return watch(source, Showing("made up", settings, otherwise=""))


if __name__ == "__main__":
    sys.exit(main())
