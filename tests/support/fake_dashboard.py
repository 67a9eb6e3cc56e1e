"""The dashboard over a made-up cache, as a program: python -m tests.support.fake_dashboard [engine dies: 1]."""

from __future__ import annotations

import sys

from probes.snapshot import Snapshot
from radixtop.app import RadixtopApp
from radixtop.settle import settle
from tests.support.watched import FakeSource


class DyingSource(FakeSource):
    """A source whose engine dies at the second tick."""

    def tick(self, now: int) -> Snapshot:
        """Return the snapshot of now."""
        if self.ticks == 1:
            self.die("lost", "engine was killed")
        return super().tick(now)


def main() -> int:
    """Run until someone quits, and return the exit code."""
    source = DyingSource() if "1" in sys.argv[1:] else FakeSource()
    app = RadixtopApp(source, title="made up", settings=settle({"interval": 0.1}).settings)
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main())
