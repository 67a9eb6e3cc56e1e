"""The entry point of both engines: `sglang.srt.plugins` and `vllm.general_plugins`.

Both load it in each of their processes. It looks up one environment variable and is done, unless that is set.
"""

from __future__ import annotations

import os
import sys

SWITCH = "RADIXTOP_PROBE"
"""Set to anything but 0 to have the caches of this process probed."""

OFF = ("", "0")


def load() -> None:
    """Get ready for the caches that this process may make. Idempotent, and never raises."""
    if os.environ.get(SWITCH, "") in OFF:
        return
    try:
        _arm()
    except Exception as error:  # noqa: BLE001 - whatever it was, the engine starts as if we were not there
        _complain(f"radixtop watches nothing in this process: {type(error).__name__}: {error}")


def _arm() -> None:
    if sys.version_info < (3, 11):  # noqa: UP036 - the interpreter is the engine's
        _complain("radixtop watches nothing in this process: it needs Python 3.11 or newer")
        return
    from probes.inside.arming import arm

    arm()


def _complain(text: str) -> None:
    from logging import getLogger

    getLogger("radixtop").warning(text)
