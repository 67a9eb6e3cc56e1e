"""The contract of every trace format, how one is found, and what is said of files that are no trace."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from cache_core.registry import UnknownNameError
from profiles.time_order import LEAST_READ
from profiles.trace import TraceError
from profiles.trace_fields import MOST_PROMPT_TOKENS
from profiles.trace_format import TRACE_FORMATS, open_trace
from tests.support.fixed_recording import unpacked
from tests.support.made_traces import MADE, ids_of, write_lines

LINE = {"timestamp": 0, "input_length": 900, "output_length": 1, "hash_ids": [1, 2]}


@pytest.fixture(
    params=[name for name in TRACE_FORMATS if name != "azure"]
)  # those are no traces, and said to be none
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A trace of each format, written by hand where a hand can write it."""
    if request.param == "recording":
        return unpacked(tmp_path).rename(tmp_path / "recording.rtrec")
    return next(MADE.glob(f"{request.param}.*"))


class TestContract:
    def test_its_head_tells_the_format(self, made: Path) -> None:
        assert list(open_trace(made)) == list(open_trace(made, made.stem))

    def test_it_can_be_read_again(self, made: Path) -> None:
        trace = open_trace(made)
        assert list(trace) == list(trace)

    def test_its_length_is_the_number_of_its_requests(self, made: Path) -> None:
        trace = open_trace(made)
        assert len(trace) == len(list(trace)) > 0

    def test_times_begin_at_0_and_do_not_fall(self, made: Path) -> None:
        times = [request.at_ns for request in open_trace(made)]
        assert times[0] == 0
        assert times == sorted(times)

    def test_every_id_stands_for_tokens_of_the_prompt(self, made: Path) -> None:
        for request in open_trace(made):
            assert request.block_tokens > 0
            assert request.tokens_of(request.blocks - 1) < request.prompt_tokens or not request.blocks

    def test_it_is_called_after_its_file(self, made: Path) -> None:
        assert open_trace(made).name == made.name


def test_a_compressed_trace_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    packed = tmp_path / "trace"
    packed.write_bytes(gzip.compress((MADE / "mooncake.jsonl").read_bytes()))
    assert list(open_trace(packed)) == list(open_trace(MADE / "mooncake.jsonl"))


def test_requests_come_in_stable_order_of_time(tmp_path: Path) -> None:
    times = [5, 3, 5, 9, 3, 0, 9]
    lines = [{**LINE, "timestamp": time, "hash_ids": [place, 99]} for place, time in enumerate(times)]
    trace = open_trace(write_lines(tmp_path / "trace", lines))
    assert [ids_of(request)[0] for request in trace] == [5, 1, 4, 0, 2, 3, 6]
    assert [request.at_ns // 1_000_000 for request in trace] == sorted(times)


def test_blank_lines_are_no_requests(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "trace", [LINE])
    path.write_bytes(b"\n" + path.read_bytes() + b"  \n\n" + path.read_bytes())
    assert len(open_trace(path)) == 2


def _log(times: range | list[int]) -> list[object]:
    return [{"timestamp": at, "input_length": 5, "output_length": 1, "hash_ids": [1]} for at in times]


def test_a_log_in_order_is_read_as_far_as_is_wanted(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "trace", [*_log(range(LEAST_READ)), "no JSON"])
    assert len(list(open_trace(path, wanted=10))) == LEAST_READ
    with pytest.raises(TraceError, match=f"trace:{LEAST_READ + 1} is no object"):
        open_trace(path)


def test_a_log_out_of_order_is_read_to_its_end(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "trace", _log([5, 4, *range(10, 10 + LEAST_READ), 0]))
    assert [request.at_ns for request in open_trace(path, wanted=2)][:2] == [0, 4_000_000]


def test_what_is_written_after_opening_is_not_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "trace", [LINE])
    trace = open_trace(path)
    path.write_bytes(path.read_bytes() * 3)
    assert len(list(trace)) == len(trace) == 1


def test_what_is_lost_after_opening_is_told(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "trace", [LINE] * 3)
    trace = open_trace(path)
    write_lines(path, [LINE])
    with pytest.raises(TraceError, match=r"trace has lost 2 requests since it was opened; leave it alone"):
        list(trace)


def test_lengths_alone_are_said_to_be_no_trace() -> None:
    with pytest.raises(
        TraceError, match=r"azure.csv has arrivals and lengths, but no prefixes: .*; take a trace with"
    ):
        open_trace(MADE / "azure.csv")


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown trace format 'moon'; choose from: .*mooncake"):
        open_trace(MADE / "mooncake.jsonl", "moon")


def after_a_good_line(line: bytes) -> bytes:
    return json.dumps(LINE).encode() + b"\n" + line


def changed(**fields: object) -> bytes:
    """A good line, then one with other fields."""
    return after_a_good_line(json.dumps({**LINE, **fields}).encode())


PACKED = gzip.compress(b"".join(b"%s\n" % json.dumps({**LINE, "hash_ids": [n, -n]}).encode() for n in range(20_000)))

BAD = {
    "empty": (b"", r"trace is empty; name a trace that has requests"),
    "blank": (b"\n\n", r"trace:1 begins like no trace that is known; .*mooncake"),
    "text": (b"hello\n", r"trace:1 begins like no trace that is known"),
    "list": (b"[1, 2]\n", r"trace:1 begins like no trace that is known"),
    "deep": (b'{"timestamp": 0, "hash_ids": ' + b"[" * 200_000, r"trace:1 begins like no trace that is known"),
    "cut": (PACKED[: len(PACKED) // 2], r"trace:\d+ cannot be unpacked: .*; copy the file again"),
    "no gzip": (b"\x1f\x8b rest", r"trace:1 cannot be unpacked"),
    "later text": (
        after_a_good_line(b"hello\n"),
        r"trace:2 is no JSON: .*; a trace has one JSON object on each line",
    ),
    "later list": (after_a_good_line(b"[1]\n"), r"trace:2 is no object but a list of 1; a trace has one JSON object"),
    "later depth": (after_a_good_line(b'{"a":' * 100_000), r"trace:2 is nested too deeply; a request is a flat"),
    "not UTF-8": (after_a_good_line(b'{"\xff": 1}\n'), r"trace:2 is not UTF-8; a trace is text"),
    "NaN": (after_a_good_line(b'{"timestamp": NaN}\n'), r"trace:2 is no JSON: NaN is no number of JSON"),
    "long number": (
        after_a_good_line(b'{"timestamp": ' + b"9" * 9_999 + b"}"),
        r"trace:2 is no JSON: Exceeds the limit",
    ),
    "half a line": (after_a_good_line(b'{"timestamp": 0, "inp'), r"trace:2 is no JSON"),
    "no length": (changed(input_length=None), r"trace:2 lacks `input_length`; every request of this format has it"),
    "text for a length": (
        changed(input_length="9"),
        r'trace:2 has "9" as `input_length`; it should be a whole number',
    ),
    "negative": (changed(output_length=-1), r"trace:2 has -1 as `output_length`; it should be a whole number from 0"),
    "a bool": (changed(input_length=True), r"trace:2 has true as `input_length`"),
    "huge": (changed(input_length=1 << 40), rf"as `input_length`; .* from 1 to {MOST_PROMPT_TOKENS:,}"),
    "huge time": (changed(timestamp=1e300), r"trace:2 has 1e\+300 as `timestamp`; it should be a time"),
    "infinite": (after_a_good_line(b'{"timestamp": 1e999, "input_length": 1, "hash_ids": [1]}'), r"as `timestamp`"),
    "ids of text": (changed(hash_ids="abc"), r'trace:2 has "abc" as `hash_ids`; it should be a list of ids'),
    "ids of floats": (changed(hash_ids=[1, 2.5]), r"trace:2 has 2.5 as `hash_ids`; it should be a list of ids"),
    "ids of bools": (changed(hash_ids=[1, True]), r"trace:2 has true as `hash_ids`"),
    "a name": (changed(session_id=["a"]), r"trace:2 has a list of 1 as `session_id`; it should be a name"),
    "another format": (changed(hash_ids={"sys_prompt": [1]}), r"trace:2 has an object of 1 as `hash_ids`"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_told_with_its_line(tmp_path: Path, name: str) -> None:
    content, message = BAD[name]
    (tmp_path / "trace").write_bytes(content)
    with pytest.raises(TraceError, match=message):
        open_trace(tmp_path / "trace")


def test_what_is_no_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"is no file; a trace is read more than once"):
        open_trace(tmp_path)
    with pytest.raises(TraceError, match=r"trace cannot be read: No such file or directory"):
        open_trace(tmp_path / "trace")


def test_an_endless_line_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiles.trace_lines.MOST_LINE_BYTES", 1 << 20)
    (tmp_path / "trace").write_bytes(b"[" + b"1," * (1 << 20))
    with pytest.raises(TraceError, match=r"trace:1 has more than 1 MiB; a trace has one request on each line"):
        open_trace(tmp_path / "trace")


def test_a_file_that_is_too_far_out_of_order_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profiles.time_order.MOST_HELD_BYTES", 100)
    lines = [{**LINE, "timestamp": 50 - n} for n in range(50)]
    trace = open_trace(write_lines(tmp_path / "trace", lines))
    with pytest.raises(TraceError, match=r"trace is too far out of order: .*; sort it by time"):
        list(trace)
