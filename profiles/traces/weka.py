"""Sessions of coding agents as weka-delta-v1 has them: each prompt as what it has anew.

    {"format": "weka-delta-v1", "block_size": 64, "hash_id_scope": "session", ...}
    {"t_ms": 0, "session": "s1", "agent": "main", ..., "input_length": 640, "base": 0, "keep": 0, "new": [1, 10]}
    {"t_ms": 9, "session": "s1", "agent": "main", ..., "input_length": 700, "base": 1, "keep": 8, "new": [90, 2]}

    path      [ first `keep` ids of the `base`-th previous request of the session ) + runs `new`: [start, length, ...]

Ids are a session's own: they are moved apart here, so that no two sessions ever meet. All sessions begin at 0. An end
of less than a block has no id and is left out of the prompt.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from profiles.trace import ID_BYTES, Trace, TraceError, TraceRequest
from profiles.trace_fields import MOST_PROMPT_TOKENS, NS_PER_MS, Fields
from profiles.trace_format import TraceFormat, TraceHead
from profiles.trace_lines import lines_of

FORMAT = "weka-delta-v1"

_MOST_ID = 1 << 40
_MOST_BLOCK_TOKENS = 1 << 16
_MOST_KEPT_BYTES = 1 << 30


class Weka(TraceFormat):
    """A header that names the format, then a line for each request."""

    def fits(self, head: TraceHead) -> bool:
        """See TraceFormat."""
        return head.fields.get("format") == FORMAT

    def open(self, path: Path) -> Trace:
        """See TraceFormat."""
        return _WekaTrace(path)


@dataclass(frozen=True, slots=True)
class _Delta:
    """A line. `base` is the number of a line above, or -1; `number` its own."""

    number: int
    at_ns: int
    session: str
    agent: str | None
    input_tokens: int
    output_tokens: int
    base: int
    keep: int
    runs: tuple[int, ...]


class _Session:
    """What has been read of a session: the numbers of its lines, how many ids each has, its last time and id."""

    __slots__ = ("blocks", "end_id", "last_ns", "numbers")

    def __init__(self) -> None:
        self.numbers = array("q")
        self.blocks = array("q")
        self.last_ns = self.end_id = 0


class _WekaTrace(Trace):
    """Keeps the lines, not the paths: those are made when they are asked for, and kept while one builds on them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = path.name
        self._sessions: dict[str, _Session] = {}
        lines = lines_of(path)
        header = next((Fields(path, number, line) for number, line in lines), None)
        if header is None or (header.get("format"), header.get("hash_id_scope")) != (FORMAT, "session"):
            problem = f"{path}:1 is no header of {FORMAT} with ids of sessions"
            raise TraceError(problem, f'it should be {{"format": "{FORMAT}", "hash_id_scope": "session", ...}}')
        self._block_tokens = header.count("block_size", 1, _MOST_BLOCK_TOKENS)
        self._deltas = [self._delta(Fields(path, at, line), number) for number, (at, line) in enumerate(lines)]
        if not self._deltas:
            raise TraceError(f"{path} holds no request", "name a trace that has some")
        self._deltas.sort(key=lambda delta: delta.at_ns)
        self._zero_ns = self._deltas[0].at_ns
        self._offsets = _apart(self._sessions)
        self._uses = array("q", bytes(8 * len(self._deltas)))
        for delta in self._deltas:
            if delta.base >= 0:
                self._uses[delta.base] += 1

    def __len__(self) -> int:
        """See Trace."""
        return len(self._deltas)

    def __iter__(self) -> Iterator[TraceRequest]:
        """See Trace."""
        kept: dict[int, bytes] = {}
        uses = array("q", self._uses)
        kept_bytes = 0
        for delta in self._deltas:
            path = b""
            if delta.base >= 0:
                path = kept[delta.base][: delta.keep * ID_BYTES]
                uses[delta.base] -= 1
                if not uses[delta.base]:
                    kept_bytes -= len(kept.pop(delta.base))
            path += _expanded(delta.runs, self._offsets[delta.session])
            if uses[delta.number]:
                kept[delta.number] = path
                kept_bytes += len(path)
            if kept_bytes > _MOST_KEPT_BYTES:
                problem = f"{self.path} builds on over {_MOST_KEPT_BYTES >> 30} GiB of earlier prompts"
                raise TraceError(problem, "read a part of it")
            yield self._request(delta, path)

    def _request(self, delta: _Delta, path: bytes) -> TraceRequest:
        with_ids = len(path) // ID_BYTES * self._block_tokens
        return TraceRequest(
            at_ns=delta.at_ns - self._zero_ns,
            path=path,
            block_tokens=self._block_tokens,
            prompt_tokens=min(with_ids, delta.input_tokens) or delta.input_tokens,
            output_tokens=delta.output_tokens,
            session=delta.session,
            agent=delta.agent,
        )

    def _delta(self, fields: Fields, number: int) -> _Delta:
        """Read a line and check it against those above of its session."""
        name = fields.text("session")
        if name is None:
            raise fields.wrong("lacks `session`", "every request of this format has one")
        session = self._sessions.setdefault(name, _Session())
        at_ns = fields.time_ns("t_ms", NS_PER_MS)
        if session.numbers and at_ns < session.last_ns:
            raise fields.wrong("is earlier than the line above it of its session", "sort each session by time")
        session.last_ns = at_ns
        back = fields.count("base", most=len(session.numbers))
        keep = fields.count("keep", most=session.blocks[-back] if back else 0)
        runs, new = _runs(fields)
        blocks = keep + new
        tokens = fields.count("input_length", least=1)
        if not tokens // self._block_tokens <= blocks <= -(-tokens // self._block_tokens):
            problem = f"has {blocks:,} ids of {self._block_tokens} tokens for {tokens:,} tokens"
            raise fields.wrong(problem, "`keep` and the lengths of `new` should make the whole prompt")
        base = session.numbers[-back] if back else -1
        session.numbers.append(number)
        session.blocks.append(blocks)
        session.end_id = max(session.end_id, *(start + length for start, length in _pairs(runs)), 0)
        output = fields.count("output_length") if "output_length" in fields else 0
        return _Delta(number, at_ns, name, fields.text("agent"), tokens, output, base, keep, runs)


def _runs(fields: Fields) -> tuple[tuple[int, ...], int]:
    """Return the runs of a line and how many ids they are."""
    found = fields.get("new")
    if not isinstance(found, list) or len(found) % 2 or not all(type(each) is int for each in found):
        raise fields.wrong("has no runs as `new`", "it should be a list of starts and lengths, in turns")
    runs = tuple(found)
    if any(start < 0 or length < 1 or start + length > _MOST_ID for start, length in _pairs(runs)):
        raise fields.wrong("has a run in `new` that is none", "starts are 0 or more, lengths 1 or more")
    new = sum(runs[1::2])
    if new > MOST_PROMPT_TOKENS:
        raise fields.wrong(f"has {new:,} ids in `new`", f"no prompt is longer than {MOST_PROMPT_TOKENS:,} tokens")
    return runs, new


def _pairs(runs: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    """Yield start and length of each run."""
    return zip(runs[::2], runs[1::2], strict=True)


def _expanded(runs: tuple[int, ...], offset: int) -> bytes:
    """Return the ids of runs, moved by an offset."""
    return b"".join(
        array("q", range(start + offset, start + offset + length)).tobytes() for start, length in _pairs(runs)
    )


def _apart(sessions: dict[str, _Session]) -> dict[str, int]:
    """Return by how much the ids of each session are moved so that no two have one in common."""
    offsets, end = {}, 0
    for name, session in sessions.items():
        offsets[name] = end
        end += session.end_id
    return offsets
