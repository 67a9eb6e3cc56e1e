"""What no screen must fall over: sizes that change all the time, floods of events, names that nobody would choose."""

from __future__ import annotations

import re
import sys
from functools import partial
from pathlib import Path

import pytest
import textual.app
import textual.pilot

from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.adapters.shm import ShmAdapter
from probes.recorder import FlightRecorder, RecorderOptions
from probes.rings.ring import RingShape
from radixtop.bench.storm import storm
from radixtop.bench.terminal import Terminal
from radixtop.session import Session
from radixtop.view import VIEW_KEYS, VIEWS
from tests.support.fixed_recording import unpacked

WAIT_S = 60.0
SEQUENCES = re.compile(
    rb"\x1b(?:\[\??[\d;]*[mHCJhlucnptq]|\[[>=<]\d*(?:;\d+)*[ucq]|\[\?\d+(?:;\d+)*\$p|[>=]|\[\d+(?:;\d+)*t|\]22;\w+\x07)"
)
"""What the terminal's driver itself writes."""


def test_a_cache_that_works_flat_out_and_sizes_that_change_leave_the_screen_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How long it was away is printed by `radixtop bench screen`. Nobody waits for rest before the next key."""
    for module in (textual.app, textual.pilot):
        monkeypatch.setattr(module, "wait_for_idle", partial(module.wait_for_idle, max_sleep=0.06))
    weathered = storm(nodes=500, resizes_of_each=1, hz=10.0)
    assert (weathered.views, weathered.resizes) == (len(VIEWS), len(VIEWS))
    assert weathered.events > 1_000


def test_hostile_names_reach_no_terminal_as_they_are(tmp_path: Path) -> None:
    path = unpacked(tmp_path)
    with Terminal([sys.executable, "-m", "tests.support.hostile_dashboard", str(path)], (120, 40)) as terminal:
        terminal.read_until("replay", WAIT_S)
        for key in VIEW_KEYS.values():
            terminal.type(key)
            terminal.read_for(0.3)
        for key in ("2", "\r", "\x1b", "/", "日本", "\r"):
            terminal.type(key)
            terminal.read_for(0.2)
        terminal.type("\x03")
        assert terminal.wait(WAIT_S) == 130
    text = SEQUENCES.sub(b"", terminal.raw).decode("utf-8")
    assert "Traceback" not in text
    strange = {letter for letter in text if not letter.isprintable() and letter not in "\r\n"}
    assert strange <= {"\u200d"}, f"{strange=}"


def test_a_reader_that_falls_behind_says_what_it_lost(tmp_path: Path) -> None:
    config = CacheConfig(components=("full",), full_slots=100_000)
    options = RecorderOptions(folder=tmp_path, shape=RingShape(slots=16))
    recorder = FlightRecorder(config.describe(), options)
    cache = PrefixCache(config, sink=recorder)
    recorder.follow(cache)
    session = Session(ShmAdapter(recorder_pid(recorder), folder=tmp_path))
    session.tick(0)
    for number in range(4_000):
        request = cache.admit(RadixKey([number % 7, number, 1, 2]))
        request.prefill(4)
        request.finish()
    recorder.flush()
    assert session.tick(1).source.dropped_records > 0
    session.close()
    recorder.close("done")


def recorder_pid(recorder: FlightRecorder) -> int:
    pid = recorder.config["pid"]
    assert isinstance(pid, int)
    return pid
