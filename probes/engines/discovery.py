"""Asks a server what it is, on a thread of its own, again and again until it says."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Thread

from probes.engines.errors import EngineError
from probes.engines.server import ServerInfo

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 10.0
SILENT_S = 1
"""After so long it is said that no answer has come yet, however long one is waited for."""


class Discovery:
    """What a server says of itself, once it does; until then `message` says why it does not."""

    def __init__(self, ask: Callable[[], ServerInfo], name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self.info: ServerInfo | None = None
        self._name = name
        self._clock = clock
        self._began = clock()
        self._fault = ""
        self._ask = ask
        self._closed = Event()
        self._thread = Thread(target=self._run, name=f"discover {name}", daemon=True)
        self._thread.start()

    def again(self) -> None:
        """Ask once more, unless that is under way; what was known stays known until there is an answer."""
        if not self._thread.is_alive() and not self._closed.is_set():
            self._thread = Thread(target=self._run, name=f"discover {self._name}", daemon=True)
            self._thread.start()

    @property
    def message(self) -> str:
        """What is wrong, or that nothing has come yet."""
        silent_s = int(self._clock() - self._began)
        if self.info is not None:
            return ""
        if self._fault or silent_s < SILENT_S:
            return self._fault
        return f"{self._name} has not answered for {silent_s} s; it may be overloaded or hang"

    def close(self) -> None:
        """Ask no more. An answer that is being waited for is left to its deadline."""
        self._closed.set()

    def _run(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._closed.is_set():
            try:
                self.info = self._ask()
            except EngineError as error:
                self._fault = str(error)
            except Exception as error:  # noqa: BLE001 - of an answer that nobody thought of: the screen lives on
                said = f"{type(error).__name__}: {error}"
                self._fault = f"{self._name} answers what cannot be read ({said}); see radixtop doctor {self._name}"
            else:
                return
            self._closed.wait(wait_s)
            wait_s = min(LONGEST_WAIT_S, 2 * wait_s)
