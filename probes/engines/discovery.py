"""Asks a server what it is, on a thread of its own, again and again until it says."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

from probes.engines.errors import EngineError
from probes.engines.server import ServerInfo

FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 10.0


class Discovery:
    """What a server says of itself, once it does; until then `message` says why it does not."""

    def __init__(self, ask: Callable[[], ServerInfo], name: str) -> None:
        self.info: ServerInfo | None = None
        self.message = ""
        self._ask = ask
        self._closed = Event()
        self._thread = Thread(target=self._run, name=f"discover {name}", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ask no more. An answer that is being waited for is left to its deadline."""
        self._closed.set()

    def _run(self) -> None:
        wait_s = FIRST_WAIT_S
        while not self._closed.is_set():
            try:
                self.info = self._ask()
            except EngineError as error:
                self.message = str(error)
            except Exception as error:  # noqa: BLE001 - of an answer that nobody thought of: the screen lives on
                self.message = f"its answer makes no sense: {type(error).__name__}: {error}"
            else:
                return
            self._closed.wait(wait_s)
            wait_s = min(LONGEST_WAIT_S, 2 * wait_s)
