"""Our own recordings as traces: who asked for what when, with made-up tokens, whatever the cache did about it.

    request queued, else admitted           -> when it asked
    matched and inserted (profiles.replay)  -> its path: a token of its own for each stretch that was ever told apart
    admitted for the last time              -> one request, however often it was retracted and came back
    finished                                -> how many tokens it got

What a prompt was is known as far as the cache ever stored it: the rest has a token that nothing else has. Prompts of
different namespaces have different tokens, even where their texts were the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from cache_core import events
from cache_core.events import Record
from probes.errors import RecordingError
from probes.recordings.header import RECORDING_MAGIC
from profiles.profile import RecordedProfile
from profiles.replay.operations import Admit
from profiles.replay.synthetic import Synthetic
from profiles.time_order import TimeOrdered
from profiles.trace import Trace, TraceError, TraceRequest
from profiles.trace_format import TraceFormat, TraceHead

_TOLD = (
    events.RequestQueued, events.Match, events.RequestAdmitted, events.RequestFinished, events.Namespace,
)  # fmt: skip
"""The records that say when a request came and what became of it."""


class RecordingTrace(TraceFormat):
    """A file of `radixtop record` or `--record`."""

    def fits(self, head: TraceHead) -> bool:
        """See TraceFormat."""
        return head.start.startswith(RECORDING_MAGIC)

    def open(self, path: Path) -> Trace:
        """See TraceFormat."""
        return _RecordedRequests(path)


@dataclass(slots=True)
class _Arrival:
    """When a request asked for how many tokens; `output_tokens` are known when it ends."""

    at_ns: int
    prompt_tokens: int
    namespace: int
    output_tokens: int = 0


class _Arrivals:
    """`by_admission` has each request under the number of its last admission, `names` those of namespaces."""

    def __init__(self, records: Iterable[Record]) -> None:
        self.by_admission: dict[int, _Arrival] = {}
        self.names: dict[int, str] = {}
        self._admissions = 0
        self._queued: dict[int, int] = {}
        self._matched: dict[int, int] = {}
        self._unended: dict[int, tuple[int, _Arrival]] = {}
        for record in records:
            if isinstance(record, events.Namespace):
                self.names[record.id] = record.text
            elif isinstance(record, events.Match):
                if record.request >= 0:
                    self._matched[record.request] = record.namespace
            elif isinstance(record, events.RequestQueued):
                self._queued.setdefault(record.request, record.at)
            elif isinstance(record, events.RequestAdmitted):
                self._admit(record)
            elif isinstance(record, events.RequestFinished):
                self._finish(record)
        self.by_admission.update(self._unended.values())

    def _admit(self, record: events.RequestAdmitted) -> None:
        at_ns = self._queued.pop(record.request, record.at)
        namespace = self._matched.pop(record.request, 0)
        if record.request in self._unended:
            _, arrival = self._unended[record.request]
        else:
            arrival = _Arrival(at_ns, record.prompt_tokens, namespace)
        self._unended[record.request] = self._admissions, arrival
        self._admissions += 1

    def _finish(self, record: events.RequestFinished) -> None:
        if record.request in self._unended:
            admission, arrival = self._unended.pop(record.request)
            arrival.output_tokens = max(0, record.output_tokens)
            self.by_admission[admission] = arrival


class _RecordedRequests(TimeOrdered):
    """A token is a block. What was recorded is read three times for each reading: content is found out first."""

    def in_file_order(self) -> Iterator[TraceRequest]:
        """See TimeOrdered: in the order in which they were admitted for the last time."""
        try:
            with RecordedProfile(self.path) as profile:
                told = _Arrivals(profile.records(_TOLD))
                if not told.by_admission:
                    problem = f"{self.path} records no requests, only what a cache was asked or said"
                    raise TraceError(problem, "record the engine's requests as well: radixtop run, or radixtop live")
                for operation in Synthetic(profile).operations():
                    if isinstance(operation, Admit) and operation.life in told.by_admission:
                        arrival = told.by_admission[operation.life]
                        yield self._request(arrival, operation.tokens, told.names.get(arrival.namespace))
        except RecordingError as error:
            raise TraceError(error.message, error.hint) from error

    def _request(self, arrival: _Arrival, tokens: bytes, namespace: str | None) -> TraceRequest:
        """Return a request; a prompt that came back longer has its outputs in it, which are no part of it."""
        path = array("q", array("i", tokens[: arrival.prompt_tokens * 4]))
        return TraceRequest(
            at_ns=arrival.at_ns - self.zero_ns,
            path=path.tobytes(),
            block_tokens=1,
            prompt_tokens=len(path),
            output_tokens=arrival.output_tokens,
            namespace=namespace,
        )
