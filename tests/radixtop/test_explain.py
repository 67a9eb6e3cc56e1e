"""`radixtop explain`: the story of one request, of a recording and of a cache that runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import radixtop
from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.adapters.embedded import EmbeddedAdapter
from probes.lives.misses import MISS_CLASSES
from probes.recorder import FlightRecorder, RecorderOptions
from radixtop import cli
from radixtop.errors import RadixtopError
from radixtop.explaining.watched import explain_watched
from radixtop.session import Session

SYSTEM = list(range(1, 65))
CONFIG = CacheConfig(components=("full",), full_slots=160, page_size=16)


def serve(cache: PrefixCache, tokens: list[int], request: int, extra_key: str | None = None) -> None:
    key = RadixKey(tokens, extra_key, segments=((0, "system prompt 1"), (64, f"question {request}")))
    admitted = cache.admit(key, request_id=request)
    admitted.prefill(len(tokens))
    admitted.finish()


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A recording in which request 5 hits the system prompt, parts from request 4, and 7 is of a tenant."""
    path = tmp_path / "run.rtrec"
    recorder = FlightRecorder(
        {**CONFIG.describe()},
        RecorderOptions(folder=tmp_path / "rings", recording=path),
    )
    cache = PrefixCache(CONFIG, sink=recorder)
    recorder.follow(cache)
    serve(cache, [*SYSTEM, *range(200, 232)], 4)
    serve(cache, [*SYSTEM, *range(200, 204), *range(300, 328)], 5)
    serve(cache, [*range(400, 528)], 6)
    serve(cache, [*SYSTEM, *range(200, 232)], 7, "tenant")
    serve(cache, [*SYSTEM, *range(200, 232)], 8)
    recorder.close("done")
    return path


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    assert cli.main(["explain", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_the_story_says_where_the_prompt_parted_and_which_rule_stopped_it(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = " ".join(told(capsys, 5, run).split())
    assert "request #5" in text and "64 of 96 prompt tokens were hits" in text
    assert "at token 68 the prompt left what was stored" in text
    assert "0..64 █ hit system prompt 1" in text
    assert "64..68 . page rounding question 5" in text
    assert "68..80 / diverged question 5" in text


def test_it_says_for_whom_what_is_missed_made_room(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = " ".join(told(capsys, 8, run).split())
    assert "to make room for request #6" in text


def test_a_document_has_every_class_and_they_add_up(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = json.loads(told(capsys, 7, run, "--json"))
    assert (document["report"], document["request"], document["namespace"]) == ("explain", 7, "tenant")
    assert list(document["missed_tokens"]) == list(MISS_CLASSES)
    assert document["missed_tokens"]["other_namespace"] == 80
    assert sum(document["missed_tokens"].values()) + sum(document["hit_tokens"].values()) == document["asked_tokens"]
    assert sum(part["end"] - part["start"] for part in document["parts"]) == 96
    assert document["why"]["other_namespace"]["because"].startswith("the same tokens were stored")


def test_a_request_that_there_was_not_is_answered_with_those_there_were(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["explain", "99", str(run)]) == 1
    error = capsys.readouterr().err
    assert "request 99 is not among those of" in error
    assert "5 requests, 4 to 8; the newest: 4, 5, 6, 7, 8" in error


def test_what_is_no_file_and_no_target_is_said_to_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "1", str(tmp_path / "none.rtrec")]) == 1
    assert "none.rtrec" in capsys.readouterr().err


def test_a_request_of_a_running_cache_is_told_as_far_as_it_was_seen() -> None:
    adapter = EmbeddedAdapter(CONFIG.describe())
    cache = PrefixCache(CONFIG, sink=adapter)
    serve(cache, [*SYSTEM, *range(200, 232)], 4)
    adapter.flush()
    found = explain_watched(4, Session(adapter), "here", 0)
    assert [(part.start, part.end, part.miss) for part in found.parts] == [
        (0, 64, "first_seen"), (64, 80, "first_seen"), (80, 95, "page_rounding"), (95, 96, "last_token"),
    ]  # fmt: skip
    with pytest.raises(RadixtopError, match="here tells of no request"):
        explain_watched(9, Session(EmbeddedAdapter(CONFIG.describe())), "here", 0)


def test_a_request_of_a_recording_came_at_a_moment_of_it(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "came at 00:00." in told(capsys, 5, run)
    assert (
        json.loads(told(capsys, 5, run, "--json"))["came_ns"] > json.loads(told(capsys, 4, run, "--json"))["came_ns"]
    )


def test_the_end_of_a_prompt_is_labelled_as_its_end_and_not_as_where_a_chunk_or_an_answer_ended() -> None:
    config = CacheConfig(components=("full",), full_slots=160)
    adapter = EmbeddedAdapter(config.describe())
    cache = PrefixCache(config, sink=adapter)
    segments = ((0, "user turn 1"), (20, "answer 1"), (40, "user turn 2"), (60, "answer 2"))
    request = cache.admit(RadixKey([*range(60)], segments=segments), request_id=3)
    request.prefill(30)
    request.prefill(60, cache=False)
    for token in range(60, 80):
        request.decode(token)
    request.finish()
    adapter.flush()
    found = explain_watched(3, Session(adapter), "here", 0)
    assert [(part.start, part.end, part.segment) for part in found.parts] == [
        (0, 20, "user turn 1"), (20, 40, "answer 1"), (40, 59, "user turn 2"), (59, 60, "user turn 2"),
    ]  # fmt: skip


def test_a_request_of_another_reader_of_a_ring_is_told_through_it(capsys: pytest.CaptureFixture[str]) -> None:
    cache = PrefixCache(CONFIG)
    recorder = radixtop.attach(cache)
    try:
        serve(cache, [*SYSTEM, *range(200, 232)], 4)
        serve(cache, [*SYSTEM, *range(200, 204), *range(300, 328)], 5)
        recorder.flush()
        text = " ".join(told(capsys, 5, f"shm:{os.getpid()}", "--wait", "5").split())
    finally:
        recorder.close()
    assert "64 of 96 prompt tokens were hits" in text and " ago" in text
    assert "64..68 . page rounding question 5" in text and "68..80 / diverged question 5" in text
