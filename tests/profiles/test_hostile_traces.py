"""Traces that somebody or something damaged: they are read or refused, and nothing else happens."""

from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from profiles.trace import TraceError
from profiles.trace_format import TRACE_FORMATS, open_trace
from profiles.trace_tokens import TraceTokens
from tests.support.made_traces import MADE

WRITTEN = [path.read_bytes() for path in sorted(MADE.glob("*.jsonl"))]
FORMATS = st.sampled_from([None, *(name for name in TRACE_FORMATS if name != "azure")])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just(1 << 200),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def read_or_refuse(content: bytes, format: str | None) -> None:
    """Open a trace and make all its tokens; whatever else than TraceError comes of it fails the test."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "trace"
        path.write_bytes(content)
        try:
            trace = open_trace(path, format)
            requests = list(trace)
        except TraceError as error:
            assert str(path) in str(error)
            return
    assert len(requests) == len(trace)
    assert all(early.at_ns <= late.at_ns for early, late in pairwise(requests))
    made = TraceTokens()
    assert all(len(made.tokens(request)) == 4 * request.prompt_tokens > 0 for request in requests)


@given(st.sampled_from(WRITTEN), FORMATS, st.data())
def test_damaged_bytes(content: bytes, format: str | None, data: st.DataObject) -> None:
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(content) - 1))
        content = (
            content[:at] + data.draw(st.binary(max_size=3)) + content[at + data.draw(st.integers(0, 3)) :] or b"x"
        )
    read_or_refuse(content, format)


@given(st.sampled_from(WRITTEN), FORMATS, st.data())
def test_fields_of_any_kind(content: bytes, format: str | None, data: st.DataObject) -> None:
    lines = [json.loads(line) for line in content.splitlines()]
    line = data.draw(st.sampled_from(lines))
    for name in data.draw(st.lists(st.sampled_from(sorted(line)), min_size=1, max_size=2)):
        line[name] = data.draw(VALUES)
    read_or_refuse("\n".join(map(json.dumps, lines)).encode(), format)


@given(st.sampled_from(WRITTEN), FORMATS, st.data())
def test_packed_and_cut(content: bytes, format: str | None, data: st.DataObject) -> None:
    packed = bytearray(gzip.compress(content))
    packed[data.draw(st.integers(2, len(packed) - 1))] ^= data.draw(st.integers(0, 255))
    read_or_refuse(bytes(packed[: data.draw(st.integers(1, len(packed)))]), format)
