"""The lives of requests on a timeline: each is a span, with what it did as spans inside.

request 17   [---------------------------------------)
             [ waiting )[ prefill     )[ decode       )
                              ^ chunks of the prompt
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast

from cache_core.events import (
    REASONS,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
)
from probes.fold import Folds
from profiles.timelines.trace_events import Args, TraceWriter, Track

_MOST_OPEN = 1 << 16
"""More requests than ever run at once. In a stream that lacks their ends, the oldest are given up."""

_Told = RequestAdmitted | RequestPrefilled | RequestFinished | RequestRetracted | RequestRefused


@dataclass(slots=True)
class _Life:
    """A request that has not ended; `doing` since `since`, with `chunks` of its prompt computed."""

    doing: str
    since: int
    args: Args = field(default_factory=dict)
    chunks: int = 0


class RequestSpans:
    """Writes the spans. What a request does is written once it is over, for only then is it known."""

    def __init__(self, trace: TraceWriter, track: Track) -> None:
        self._trace = trace
        self._track = track
        self._lives: dict[int, _Life] = {}
        self.folds: Folds = {
            RequestQueued: self._queued,
            RequestAdmitted: self._admitted,
            RequestPrefilled: self._prefilled,
            RequestFirstToken: self._first_token,
            RequestFinished: self._ended,
            RequestRetracted: self._ended,
            RequestRefused: self._ended,
        }

    def close(self, at: int) -> None:
        """End what goes on at the end of the stream."""
        for request in [*self._lives]:
            self._end(request, at, {"ended": "after the recording"})

    def _queued(self, record: RequestQueued) -> None:
        if record.request not in self._lives:
            self._begin(record.request, record.at, record.prompt_tokens, "waiting")

    def _admitted(self, record: RequestAdmitted) -> None:
        life = self._lives.get(record.request)
        if life is None:
            life = self._begin(record.request, record.at, record.prompt_tokens, "running")
        self._does(record.request, life, "running", record.at, _tokens(record))

    def _prefilled(self, record: RequestPrefilled) -> None:
        if record.request not in self._lives:
            self._begin(record.request, record.at, record.prompt_tokens, "running")
        self._lives[record.request].chunks += 1

    def _first_token(self, record: RequestFirstToken) -> None:
        life = self._lives.get(record.request)
        if life is not None:
            life.doing = "prefill"
            life.args = {**life.args, "chunks": life.chunks}
            self._does(record.request, life, "decode", record.at)

    def _ended(self, record: RequestFinished | RequestRetracted | RequestRefused) -> None:
        if record.request not in self._lives:
            self._begin(record.request, record.at, record.prompt_tokens, "running")
        outcome = {RequestFinished: "finished", RequestRetracted: "retracted", RequestRefused: "refused"}
        reason = {"reason": REASONS.get(record.reason, f"{record.reason}")} if record.reason else {}
        self._end(record.request, record.at, {"ended": outcome[type(record)], **reason, **_tokens(record)})

    def _begin(self, request: int, at: int, prompt_tokens: int, doing: str) -> _Life:
        if len(self._lives) >= _MOST_OPEN:
            self._end(next(iter(self._lives)), at, {"ended": "unknown"})
        life = self._lives[request] = _Life(doing, at)
        args = {"request": request, "prompt_tokens": prompt_tokens}
        self._trace.begin(self._track, "request", request, at, args)
        return life

    def _does(self, request: int, life: _Life, doing: str, at: int, args: Args | None = None) -> None:
        """Write what a request did until now, and note what it does from now on."""
        if at > life.since:
            self._trace.begin(self._track, life.doing, request, life.since, life.args)
            self._trace.end(self._track, life.doing, request, at)
        life.doing, life.since, life.args = doing, at, args or {}

    def _end(self, request: int, at: int, args: Args) -> None:
        life = self._lives.pop(request)
        self._does(request, life, "", at)
        self._trace.end(self._track, "request", request, at, args)


def _tokens(record: _Told) -> dict[str, object]:
    """Return the tokens of a request by class, those that there are."""
    fields = cast(dict[str, int], record._asdict())
    return {name: tokens for name, tokens in fields.items() if name.endswith("_tokens") and tokens}
