"""What a command needs of the place it runs in, checked before anything is started."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec

from radixtop.errors import RadixtopError, UsageError


def need_terminal(otherwise: str) -> None:
    """Raise UsageError where no screen can be drawn; its hint is what to do `otherwise`."""
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):  # textual draws on stderr
        raise UsageError("the dashboard needs a terminal", otherwise)
    if (os.environ.get("TERM") or "dumb") == "dumb":
        raise UsageError("this terminal (TERM=dumb) cannot show the dashboard", f"set TERM; or {otherwise}")


def need_torch() -> None:
    """Raise RadixtopError where no live workload can be served. Does not import torch."""
    if find_spec("torch") is None:
        raise RadixtopError("a live workload needs torch, which is not installed", "pip install 'radixtop[live]'")
