"""The terminal as Textual drives it on Linux, which may go away without a signal.

The kernel sends SIGHUP to those alone whose controlling terminal it was, and who did not ask it not to (`nohup`).
Textual then reads nothing for ever, as fast as it can, and waits for a writer that has died.
"""

from __future__ import annotations

import select
import signal
from functools import partial
from threading import Thread
from typing import IO, Any

from textual.app import App
from textual.drivers.linux_driver import LinuxDriver

_HUNG_UP = 128 + signal.SIGHUP


class TerminalDriver(LinuxDriver):
    """Ends the app as SIGHUP does once its terminal is gone."""

    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self._file: Any = Tolerant(self._file)
        self._awaits_end = False

    def start_application_mode(self) -> None:
        """See Driver; it is called again after a suspension."""
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if not self._awaits_end:
            self._awaits_end = True
            Thread(target=self._await_end, name="radixtop-hangup", daemon=True).start()

    def _await_end(self) -> None:
        """Sleep until nobody is at the other end."""
        ends = select.poll()
        ends.register(self.fileno, 0)  # a terminal that is gone is told without being asked for
        ends.poll()
        if not self.exit_event.is_set():
            self._loop.call_soon_threadsafe(self._app.call_later, partial(self._app.exit, return_code=_HUNG_UP))


class Tolerant:
    """A stream that loses what nobody reads: a writer that lives takes what waits for it."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write, if there is still somebody to."""
        try:
            return self._stream.write(text)
        except OSError:
            return len(text)

    def flush(self) -> None:
        """Write out what waits, if there is still somebody to."""
        try:
            self._stream.flush()
        except OSError:
            pass

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
