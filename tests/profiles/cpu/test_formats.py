"""Every format of sampled code: what is written holds what was sampled."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path

import jsonschema
import pytest

from profiles.cpu.format import CODE_FORMATS, Samples
from profiles.cpu.stacks import CodeFrame
from tests.support.pprof_reader import read_pprof

STEP = CodeFrame("step", "engine.py", 120)
MATCH = CodeFrame("RadixCache.match <v2> (fast)", "cache.py", 7)
SAMPLES = Samples(
    "python serve.py", {(STEP,): 3, (STEP, MATCH): 5, (CodeFrame("MainThread [thread 9]"),): 1}, 10_000_000
)
NOTHING = Samples("nothing", {}, 10_000_000)
SCHEMA = Path(__file__).parents[2] / "data" / "speedscope" / "file-format-schema.json"


def rendered(format: str, samples: Samples = SAMPLES) -> bytes:
    out = BytesIO()
    CODE_FORMATS.load(format)().write(samples, out)
    return out.getvalue()


@pytest.mark.parametrize("format", CODE_FORMATS)
def test_a_format_writes_the_same_bytes_for_the_same_samples(format: str) -> None:
    assert rendered(format) == rendered(format)


@pytest.mark.parametrize("format", CODE_FORMATS)
def test_nothing_can_be_written(format: str) -> None:
    assert isinstance(rendered(format, NOTHING), bytes)


@pytest.mark.parametrize("samples", [SAMPLES, NOTHING])
def test_speedscope_obeys_the_published_schema(samples: Samples) -> None:
    jsonschema.validate(json.loads(rendered("speedscope", samples)), json.loads(SCHEMA.read_text("utf-8")))


def test_speedscope_weighs_a_sample_as_a_period() -> None:
    profile = json.loads(rendered("speedscope"))["profiles"][0]
    assert sum(profile["weights"]) == profile["endValue"] == 90_000_000


def test_speedscope_keeps_file_and_line() -> None:
    frames = json.loads(rendered("speedscope"))["shared"]["frames"]
    assert {"name": "step", "file": "engine.py", "line": 120} in frames
    assert {"name": "MainThread [thread 9]"} in frames


def test_collapsed_has_a_sorted_line_per_stack() -> None:
    assert rendered("collapsed").decode() == (
        "MainThread [thread 9] 1\n"
        "step (engine.py:120) 3\n"
        "step (engine.py:120);RadixCache.match <v2> (fast) (cache.py:7) 5\n"
    )


def test_pprof_counts_samples_and_their_time() -> None:
    profile = read_pprof(rendered("pprof"))
    assert profile.total("samples") == 9
    assert profile.total("time") == 90_000_000
    assert (MATCH.name, STEP.name) in [sample.stack for sample in profile.samples]


def test_pprof_keeps_names_from_being_demangled() -> None:
    assert all(name != system for name, system in read_pprof(rendered("pprof")).system_names.items())
