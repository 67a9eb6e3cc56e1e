"""Request logs of vLLM, SGLang and what stands before them: JSON lines with tokens, or with hashes of blocks.

    {"timestamp": "2026-01-31T12:00:00.5Z", "rid": "a", "obj": {"input_ids": [1, 2, 3], "extra_key": "anna"}}
    {"arrival_time": 1769860801.25, "request_id": "b", "prompt_token_ids": [1, 2, 9], "cache_salt": "..."}
    {"request_received_ms": 1769860802000, "replay": {"trace_block_size": 64, "input_sequence_hashes": [77, 78]}}

`profiles/logged_request.py` lists the names of fields. Lines without a prompt are left out; those that tell a
request again, with its name and its prompt, tell how much it generated. A log is one model's: its prompts share what
is equal.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from profiles.logged_request import (
    AGENTS,
    CONTAINERS,
    LENGTHS,
    NAMES,
    SESSIONS,
    at_ns_of,
    first,
    named,
    namespace_of,
    output_tokens_of,
    prompts_of,
)
from profiles.time_order import TimeOrdered
from profiles.trace import Trace, TraceError, TraceRequest
from profiles.trace_fields import Fields
from profiles.trace_format import TraceFormat, TraceHead
from profiles.trace_lines import lines_of

_TEXTS = ("messages", "prompt", "text")


class RequestLog(TraceFormat):
    """Any JSON lines: what they are to have is told when they do not."""

    def fits(self, head: TraceHead) -> bool:
        """See TraceFormat."""
        return bool(head.fields)

    def open(self, path: Path) -> Trace:
        """See TraceFormat."""
        return _LoggedRequests(path)


class _LoggedRequests(TimeOrdered):
    """Keeps of each request that has a name 8 bytes, and how much it generated if another line says so."""

    def __init__(self, path: Path) -> None:
        self._later_outputs: dict[bytes, int] = {}
        self._is_timed: bool | None = None
        super().__init__(path)

    def in_file_order(self) -> Iterator[TraceRequest]:
        """See TimeOrdered."""
        seen: set[bytes] = set()
        last: Fields | None = None
        for number, line in lines_of(self.path):
            last = fields = Fields(self.path, number, line)
            fields.lift(CONTAINERS)
            name = _name(fields)
            outputs = output_tokens_of(fields)
            if name is not None and outputs is not None:
                self._later_outputs[name] = outputs
            prompts = prompts_of(fields)
            if prompts and name is not None:
                if (asked := _digest(name, *(prompt.path for prompt in prompts))) in seen:
                    continue
                seen.add(asked)
                outputs = self._later_outputs.get(name)
            at_ns = self._at_ns(fields) if prompts else 0
            for prompt in prompts:
                yield TraceRequest(
                    at_ns=at_ns,
                    path=prompt.path,
                    block_tokens=prompt.block_tokens,
                    prompt_tokens=prompt.tokens,
                    output_tokens=outputs or 0,
                    namespace=namespace_of(fields),
                    session=named(fields, SESSIONS),
                    agent=named(fields, AGENTS),
                )
        if last is not None and self._is_timed is None:
            raise _no_prompts(self.path, last)

    def _at_ns(self, fields: Fields) -> int:
        """Return when a request came; in a log that tells no times all come at once."""
        at_ns = at_ns_of(fields)
        if self._is_timed is None:
            self._is_timed = at_ns is not None
        if self._is_timed != (at_ns is not None):
            problem = "has no time, unlike the requests above" if at_ns is None else "has a time, unlike those above"
            raise fields.wrong(problem, "give each request its time, or none of them")
        return 0 if at_ns is None else at_ns - self.zero_ns


def _name(fields: Fields) -> bytes | None:
    """Return a request's name, as 8 bytes."""
    field = next((name for name in NAMES if isinstance(fields.get(name), str | int)), None)
    name = None if field is None else fields.text(field)
    return None if name is None else _digest(name.encode())


def _digest(*parts: bytes) -> bytes:
    """Return 8 bytes that stand for some texts."""
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(part)
    return digest.digest()


def _no_prompts(path: Path, last: Fields) -> TraceError:
    """Return the error for a log without a single prompt, by what its last line has."""
    hint = "log `prompt_token_ids`, `input_ids`, or `hash_ids` with `block_size`"
    if any(isinstance(last.get(name), str | list) for name in _TEXTS):
        return TraceError(f"{path} has prompts as text, which only the model's tokenizer makes tokens of", hint)
    if first(last, LENGTHS) is not None:
        return TraceError(f"{path} says how long prompts are, not what they share: it has no prefixes", hint)
    return TraceError(f"{path} has no line with the tokens of a prompt, or with hashes of its blocks", hint)
