"""Which radixtop runs on what."""

from __future__ import annotations

import platform
from collections.abc import Iterator

from radixtop import __version__
from radixtop.check import Finding, Status, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Say which radixtop this is, on which Python and which system; attaching needs Linux."""
    system = platform.system()
    yield Finding(Status.OK, "radixtop", f"{__version__} on Python {platform.python_version()}, {system}")
    if system != "Linux":
        yield Finding(Status.WARN, "system", f"{system}: no rings, so no process can be attached to", "use Linux")
