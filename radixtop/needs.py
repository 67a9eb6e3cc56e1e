"""What a command needs of the place it runs in, checked before anything is started."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TextIO

from radixtop.errors import RadixtopError, UsageError


def is_terminal(out: TextIO) -> bool:
    """Return whether the dashboard can be shown on a stream, or in a browser that reads what is written there."""
    is_web = bool(os.environ.get("TEXTUAL_DRIVER"))
    return is_web or (out.isatty() and (os.environ.get("TERM") or "dumb") != "dumb")


def need_terminal(otherwise: str) -> None:
    """Raise UsageError where no screen can be drawn; its hint is what to do `otherwise`."""
    if os.environ.get("TEXTUAL_DRIVER"):
        return
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # textual draws on stderr
        raise UsageError("the dashboard needs a terminal", otherwise)


def need_torch() -> None:
    """Raise RadixtopError where no live workload can be served. Does not import torch."""
    if find_spec("torch") is None:
        raise RadixtopError("a live workload needs torch, which is not installed", "pip install 'radixtop[live]'")
