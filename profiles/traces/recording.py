"""Our own recordings as traces: who asked for what when, with made-up tokens, whatever the cache did about it.

    request queued, else admitted           -> when it asked
    matched and inserted (profiles.replay)  -> its path: a token of its own for each stretch that was ever told apart
    admitted for the first time             -> one request, however often it was retracted and came back
    finished                                -> what it was answered, and one output more, which takes no slot

What a prompt was is known as far as the cache ever stored it: the rest has a token that nothing else has. Prompts of
different namespaces have different tokens, even where their texts were the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path

from probes.errors import RecordingError
from probes.recordings.header import RECORDING_MAGIC
from profiles.profile import RecordedProfile
from profiles.replay.requests import RecordedRequest, RecordedRequests
from profiles.time_order import TimeOrdered
from profiles.trace import Trace, TraceError, TraceRequest
from profiles.trace_format import TraceFormat, TraceHead


class RecordingTrace(TraceFormat):
    """A file of `radixtop record` or `--record`."""

    def fits(self, head: TraceHead) -> bool:
        """See TraceFormat."""
        return head.start.startswith(RECORDING_MAGIC)

    def open(self, path: Path) -> Trace:
        """See TraceFormat."""
        return _Recorded(path)


class _Recorded(TimeOrdered):
    """A token is a block. What was recorded is read twice for each reading: content is found out first."""

    def in_file_order(self) -> Iterator[TraceRequest]:
        """See TimeOrdered: in the order in which they ended."""
        count = 0
        try:
            with RecordedProfile(self.path) as profile:
                for request in RecordedRequests(profile).as_they_ended():
                    count += 1
                    yield traced(request, self.zero_ns)
        except RecordingError as error:
            raise TraceError(error.message, error.hint) from error
        if not count:
            problem = f"{self.path} records no requests, only what a cache was asked or said"
            raise TraceError(problem, "record the engine's requests as well: radixtop run, or radixtop live")


def traced(request: RecordedRequest, zero_ns: int) -> TraceRequest:
    """Return a recorded request as one of a trace that begins at `zero_ns`."""
    return TraceRequest(
        at_ns=request.at - zero_ns,
        path=array("q", request.prompt).tobytes(),
        block_tokens=1,
        prompt_tokens=len(request.prompt),
        output_tokens=len(request.outputs) + 1,
        namespace=request.namespace,
        answer=array("q", request.outputs).tobytes(),
        priority=request.priority,
    )
