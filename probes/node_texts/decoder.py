"""Has tokens decoded on a thread of its own, each row of them once, and only while somebody wants it."""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Sequence
from threading import Condition, Thread

from probes.errors import ProbeError, UnreadableTokensError
from probes.node_texts.cache import TextCache
from probes.node_texts.wanted import Wanted
from probes.text import TextSource

FIRST_WAIT_S, LONGEST_WAIT_S = 0.25, 30.0

_CUT = "\ufffd"
"""Where a row of tokens begins or ends within a character."""


class Decoder:
    """Texts of one source. Any thread asks, none waits; `make` is called when somebody asks first, on our thread.

    A source that fails is left alone, longer each time. Rows that it may have failed for are tried in smaller lots,
    until the one that it fails for is alone.
    """

    def __init__(self, make: Callable[[], TextSource], clock: Callable[[], float] = time.monotonic) -> None:
        self._make = make
        self._clock = clock
        self._changed = Condition()
        self._known = TextCache()
        self._wanted = Wanted()
        self._under_way: frozenset[bytes] = frozenset()
        self._source: TextSource | None = None
        self._at_once = 1
        self._version = 0
        self._fault = ""
        self._wait_s = FIRST_WAIT_S
        self._thread: Thread | None = None
        self._closed = False

    @property
    def version(self) -> int:
        """A number that grows with what is known."""
        return self._version

    @property
    def is_settled(self) -> bool:
        """Whether nothing is being looked for, or in vain."""
        with self._changed:
            return bool(self._fault) or not (len(self._wanted) or self._under_way)

    @property
    def message(self) -> str:
        """Why there is no text, "" while there is."""
        return self._fault

    def text(self, tokens: bytes) -> str | None:
        """Return the text of some tokens (words of four bytes), or None and have it looked for."""
        with self._changed:
            text = self._known.get(tokens)
            is_new = text is None and not self._closed and tokens not in self._under_way
            if is_new and self._wanted.add(tokens, self._clock()):
                self._begin()
                self._changed.notify()
            return text

    def close(self) -> None:
        """Decode no more. An answer that is being waited for is left to its deadline."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _begin(self) -> None:
        if self._thread is None:
            self._thread = Thread(target=self._run, name="text of prompts", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or len(self._wanted))
                if self._closed:
                    return
                rows = self._wanted.take(self._at_once, self._clock())
                self._under_way = frozenset(rows)
            wait_s = self._step(rows) if rows else 0.0
            if wait_s:
                with self._changed:
                    self._changed.wait_for(lambda: self._closed, wait_s)

    def _step(self, rows: Sequence[bytes]) -> float:
        """Have some rows decoded and return how long to leave the source alone after that."""
        try:
            if self._source is None:
                self._source = self._make()
            texts = self._source.decode([array("i", row) for row in rows])
            if len(texts) != len(rows):
                raise UnreadableTokensError(f"{len(texts):,} texts came for {len(rows):,} rows of tokens")
        except UnreadableTokensError as error:
            return self._unreadable(rows, error)
        except ProbeError as error:
            return self._failed(str(error))
        except Exception as error:  # noqa: BLE001 - its text may be that of a prompt
            return self._failed(f"the source of text is at fault: {type(error).__name__}")
        with self._changed:
            self._under_way = frozenset()
            for row, text in zip(rows, texts, strict=True):
                self._known.put(row, text.strip(_CUT))
            self._version += 1
        self._at_once = min(2 * self._at_once, self._source.most_at_once)
        self._wait_s, self._fault = FIRST_WAIT_S, ""
        return 0.0

    def _unreadable(self, rows: Sequence[bytes], error: ProbeError) -> float:
        """Try fewer rows the next time; a row that failed alone is left alone."""
        if len(rows) > 1:
            self._at_once = 1
            with self._changed:
                self._under_way = frozenset()
                for row in reversed(rows):
                    self._wanted.add(row, self._clock())
            return FIRST_WAIT_S
        with self._changed:
            self._wanted.fail(rows[0], self._clock())
        return self._failed(str(error))

    def _failed(self, fault: str) -> float:
        with self._changed:
            self._under_way = frozenset()
        self._fault = f"no text of prompts: {fault}"
        wait_s, self._wait_s = self._wait_s, min(LONGEST_WAIT_S, 2 * self._wait_s)
        return wait_s
