"""A recording of KV events, handed out as a feed."""

from __future__ import annotations

from pathlib import Path

from probes.errors import WireError
from probes.kv_feed.frame import read_message
from probes.kv_feed.happenings import Cut, FeedState, Happening
from probes.kv_feed.limits import FeedOptions
from probes.kv_feed.outbox import Outbox
from probes.kv_feed.sequence import Sequencer
from probes.kv_feed.stream_file import StreamReader


class FileFeed:
    """A recording, from its start to its end, as fast as it is taken. Times of receipt are ns since 1970.

    Nothing can be asked for again: a hole in the recording is a gap. Raises WireError for what is no recording, and
    FeedError when there is no file.
    """

    def __init__(self, path: Path | str, options: FeedOptions | None = None) -> None:
        self.path = Path(path)
        self._options = options or FeedOptions()
        self._reader = StreamReader(self.path)
        self._rules = Sequencer(can_replay=False, limits=self._options.limits)
        self._outbox = Outbox(self._options.take_batches, self._options.take_bytes)
        self._received = self._bytes = self._malformed = 0
        self._ended = False
        self._fault = self._cut = ""

    def take(self) -> list[Happening]:
        """Return what comes next, so much at most that the caller is not kept for long; nothing at the end."""
        options = self._options
        for _ in range(options.take_batches):
            if self._ended or self._outbox.is_full:
                break
            self._read()
        taken: list[Happening] = self._outbox.take(options.take_batches, options.take_bytes)
        if self._cut and self._ended and not self._outbox:
            taken.append(Cut(self._cut))
            self._cut = ""
        return taken

    def state(self) -> FeedState:
        """Return how far it is."""
        rules = self._rules
        return FeedState(
            is_connected=not self._ended,
            last_seq=rules.last_seq,
            received=self._received,
            bytes=self._bytes,
            gaps=rules.gaps,
            missing=rules.missing,
            repaired=rules.repaired,
            duplicates=rules.duplicates,
            malformed=self._malformed + self._outbox.unreadable,
            restarts=rules.restarts,
            message=self._message(),
            ended=self._ended and not self._outbox,
            is_saved=True,
            is_catching_up=True,
        )

    def close(self) -> None:
        """Close the file; nothing more is read."""
        self._ended = True
        self._reader.close()

    def _read(self) -> None:
        try:
            at, frames = next(self._reader)
        except StopIteration:
            if self._reader.is_cut:
                self._cut = f"it ends within the message at byte {self._reader.at_bytes:,}"
                self._fault = f"{self.path} is cut, or is being written: {self._cut}; only what came before is told"
            self.close()
            return
        except WireError as error:
            self._cut, self._fault = f"it is damaged from byte {self._reader.at_bytes:,} on", str(error)
            self.close()
            return
        received_at = int(at * 1e9) if 0 <= at < 1e10 else 0
        try:
            frame = read_message(frames, received_at)
        except WireError:
            self._malformed += 1
            return
        if frame is not None:
            self._received += 1
            self._bytes += len(frame.payload)
            self._outbox.add(self._rules.receive(frame, received_at))

    def _message(self) -> str:
        if self._fault:
            return self._fault
        if self._malformed and not self._received:
            return f"{self.path} holds messages, but none of them are KV events"
        return ""
