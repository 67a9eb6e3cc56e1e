"""Ends a group of processes when this process is gone, however that came: a shell waits for the end of a pipe."""

from __future__ import annotations

import subprocess

_SHELL = "/bin/sh"
_SCRIPT = """trap '' HUP INT TERM
read -r _
kill -s TERM -- "-$1"
sleep "$2"
kill -s KILL -- "-$1"
"""


class Guard:
    """Watches over a group as long as it is open; whoever ends the group in order closes the guard."""

    def __init__(self, group: int, grace_s: float) -> None:
        """Watch over a group, which has `grace_s` to end once it was told to."""
        command = [_SHELL, "-c", _SCRIPT, "radixtop-guard", str(group), str(grace_s)]
        quiet = subprocess.DEVNULL
        self._shell: subprocess.Popen[bytes] | None = None
        try:
            self._shell = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=quiet, stderr=quiet, process_group=0
            )
        except OSError:  # a container without a shell: nothing is lost but this
            pass

    def close(self) -> None:
        """Watch no longer; nothing is ended."""
        if self._shell is not None:
            self._shell.kill()
            self._shell.wait()
            assert self._shell.stdin is not None
            self._shell.stdin.close()
