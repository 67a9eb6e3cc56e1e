"""`--prometheus`: what others scrape is what the report and the screen say, for as long as something is watched."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from time import perf_counter_ns
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

from probes.readiness import readable
from probes.snapshot import Snapshot
from profiles.overview import overview
from radixtop import cli
from radixtop.bench.terminal import Terminal
from radixtop.errors import RadixtopError
from radixtop.metrics.prometheus import Metrics, served_at
from radixtop.playing.saved_run import SavedRun
from radixtop.screenless.unattended import Unattended, report_watch
from radixtop.session import attach
from tests.support.processes import is_running, until
from tests.support.scraping import scrape, url_in
from tests.support.watched import FakeSource

RADIXTOP = (sys.executable, "-m", "radixtop")
SIZE = (120, 40)
PUBLISHER = """
import time
from array import array
import radixtop
from cache_core import CacheConfig, PrefixCache, RadixKey

cache = PrefixCache(CacheConfig(components=("full",), full_slots=1000))
recorder = radixtop.attach(cache)
print("ready", flush=True)
at = 0
while True:
    request = cache.admit(RadixKey(array("i", [*range(200), 1000 + at])))
    request.prefill(201)
    request.finish()
    at += 1
    recorder.flush()
    time.sleep(0.02)
"""


@pytest.fixture
def publisher() -> Iterator[subprocess.Popen[bytes]]:
    """Another process with a cache in use."""
    with subprocess.Popen([sys.executable, "-c", PUBLISHER], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
        process.kill()


def told(stream: IO[str] | None, word: str) -> str:
    """Return the first line of a stream that has a word."""
    assert stream is not None
    return next(line for line in iter(stream.readline, "") if word in line)


def series_of(report: dict[str, Any]) -> dict[str, float]:
    """Return the series that say what a report says."""
    totals, hits, branching = report["totals"], report["hits"], report["branching"]
    evictions, host = report["evictions"], report["hits"]["host"]
    return {
        "radixtop_queries_total": totals["queries"],
        "radixtop_queried_tokens_total": totals["queried_tokens"],
        'radixtop_hit_tokens_total{tier="device"}': hits["device_tokens"],
        'radixtop_hit_tokens_total{tier="host"}': host["loaded_tokens"],
        "radixtop_host_found_tokens_total": host["admitted_tokens"],
        "radixtop_full_hit_tokens_total": hits["full_tokens"],
        **{
            f'radixtop_requests_total{{outcome="{name}"}}': totals[name]
            for name in ("finished", "retracted", "refused")
        },
        **{
            f'radixtop_branching_points_total{{event="{name}"}}': branching[name]
            for name in ("opened", "filled", "lost")
        },
        "radixtop_recomputed_tokens_total": branching["recomputed_tokens"],
        "radixtop_eviction_calls_total": evictions["calls"],
        "radixtop_evicted_nodes_total": evictions["victims"],
        "radixtop_eviction_duration_seconds_count": evictions["cost_us"]["count"],
        **{
            f'radixtop_evicted_tokens_total{{component="{name}"}}': tokens
            for name, tokens in evictions["freed_tokens"].items()
        },
        "radixtop_time_to_first_token_seconds_count": report["ttft_ms"]["count"],
        "radixtop_schedule_passes_total": report["schedule"]["passes"],
        "radixtop_records_total": report["records"],
        "radixtop_dropped_records_total": report["dropped"],
    }


@pytest.mark.needs("torch")
def test_what_is_scraped_at_the_end_of_a_run_is_what_its_report_says() -> None:
    flags = ("--requests", "40", "--full-slots", "2500", "--swa-slots", "1200", "--host-slots", "9000")
    command = [*RADIXTOP, "live", "--json", *flags, "--prometheus", "0"]
    read_end, write_end = os.pipe()
    # As long as nobody reads, the run waits in the middle of writing its report: that is more than the pipe holds.
    fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
    wide = {**os.environ, "PYTHONIOENCODING": "utf-16-le"}
    with subprocess.Popen(
        command, stdout=write_end, stderr=subprocess.PIPE, env=wide, encoding="utf-16-le"
    ) as process:
        os.close(write_end)
        url = url_in(told(process.stderr, "metrics at"))
        with os.fdopen(read_end, "rb") as stdout:
            assert readable([stdout.fileno()], 60)
            series = scrape(url)
            written = stdout.read()
    assert process.returncode == 0
    assert len(written) > 4096
    report = json.loads(written.decode("utf-16-le"))
    expected = series_of(report)
    assert {name: series.get(name) for name in expected} == expected
    assert report["evictions"]["calls"] > 0 < report["hits"]["host"]["loaded_tokens"]
    with pytest.raises(URLError):
        scrape(url)


def test_a_watched_process_is_served_without_a_screen_until_told(publisher: subprocess.Popen[bytes]) -> None:
    command = [*RADIXTOP, "attach", f"shm:{publisher.pid}", "--json", "--prometheus", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = url_in(told(process.stderr, "metrics at"))
        until(lambda: scrape(url).get("radixtop_queries_total", 0) > 3, 60, "a few queries")
        before = scrape(url)
        process.send_signal(signal.SIGTERM)
        report = json.loads(process.communicate(timeout=30)[0])
    assert process.returncode == 0
    assert before["radixtop_up"] == 1
    assert report["totals"]["queries"] >= before["radixtop_queries_total"]
    assert report["totals"]["duration_s"] > 0
    assert is_running(publisher.pid)


def test_where_there_is_no_terminal_it_is_served_without_one_even_when_its_source_dies(
    publisher: subprocess.Popen[bytes],
) -> None:
    command = [*RADIXTOP, "attach", f"shm:{publisher.pid}", "--prometheus", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = url_in(told(process.stderr, "metrics at"))
        until(lambda: scrape(url)["radixtop_up"], 60, "a live source")
        publisher.kill()
        publisher.wait()
        until(lambda: scrape(url)['radixtop_source_state{state="lost"}'], 60, "the loss of the source")
        page = scrape(url)
        process.send_signal(signal.SIGINT)
        shown, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert (page["radixtop_up"], page["radixtop_queries_total"] > 0) == (0, True)
    assert "radixtop_tree_nodes" not in page
    assert "hit rate" in shown


def test_without_metrics_a_watch_ends_after_its_time(publisher: subprocess.Popen[bytes]) -> None:
    command = [*RADIXTOP, "attach", f"shm:{publisher.pid}", "--json", "--duration", "1"]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    totals = json.loads(ran.stdout)["totals"]
    assert totals["queries"] > 0
    assert 1 <= totals["duration_s"] < 30
    assert ran.stderr == ""


def test_a_report_counts_from_what_the_ring_still_had(
    publisher: subprocess.Popen[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    session = attach(f"shm:{publisher.pid}")
    session.gather()  # as who reports on it does before the first tick
    until(lambda: session.tick(perf_counter_ns()).source.state == "live", 60, "a live source")
    since, began = session.tick(perf_counter_ns()).since, perf_counter_ns()
    assert report_watch(session, Metrics(), Unattended(as_json=True, duration_s=0.01)) == 0
    counted_s = json.loads(capsys.readouterr().out)["totals"]["duration_s"]
    assert 0 < since < began and (began - since) / 1e9 <= counted_s <= (perf_counter_ns() - since) / 1e9 + 0.001


def test_a_watch_ends_with_its_source_and_fails_when_that_is_lost(
    publisher: subprocess.Popen[bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    session = attach(f"shm:{publisher.pid}")
    session.gather()  # as who reports on it does before the first tick
    until(lambda: session.tick(perf_counter_ns()).source.state == "live", 60, "a live source")
    publisher.kill()
    publisher.wait()
    assert report_watch(session, Metrics(), Unattended(as_json=True)) == 1
    shown = capsys.readouterr()
    assert "watching until interrupted; one moment: --once\n" in shown.err
    assert json.loads(shown.out)["totals"]["queries"] > 0
    assert "gone without a word" in shown.err


@pytest.mark.needs("torch")
def test_a_recording_is_reported_on_at_once(recorded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", str(recorded), "--headless", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["totals"]["finished"], report["dropped"]) == (6, 0)
    assert report["totals"]["duration_s"] == pytest.approx(overview(recorded).duration_s, rel=0.2)


@pytest.mark.needs("torch")
def test_a_recording_is_served_as_of_the_moment_that_is_played(recorded: Path) -> None:
    command = [*RADIXTOP, "play", str(recorded), "--speed", "0.01", "--prometheus", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        url = url_in(told(process.stderr, "metrics at"))
        until(lambda: scrape(url)["radixtop_up"], 60, "the playing")
        early = scrape(url)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=30)
    assert process.returncode == 0
    assert early['radixtop_source_state{state="replay"}'] == 1
    assert early.get('radixtop_requests_total{outcome="finished"}', 0) < 6


@pytest.mark.needs("torch")
def test_a_screen_says_where_and_takes_the_metrics_with_it(recorded: Path) -> None:
    command = [*RADIXTOP, "play", str(recorded), "--speed", "50", "--prometheus", "0"]
    with Terminal(command, SIZE) as terminal:
        terminal.read_until("radixtop", 30)
        terminal.read_until("at the end", 30)
        url = url_in(terminal.text)
        until(lambda: scrape(url).get('radixtop_requests_total{outcome="finished"}') == 6, 60, "the end")
        terminal.type(" [")  # what the source itself can do goes through
        terminal.read_until("paused at", 10)
        terminal.type("q")
        assert terminal.wait(10) == 0
    with pytest.raises(URLError):
        scrape(url)


def test_a_time_for_a_screen_is_refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("radixtop.screenless.telling.is_terminal", lambda out: True)
    assert cli.main(["attach", "shm:1", "--duration", "1"]) == 2
    assert "--duration does nothing without --headless" in capsys.readouterr().err


@pytest.mark.needs("torch")
def test_no_counter_falls_when_a_recording_is_played_again_and_with_a_gap(recorded: Path) -> None:
    with closing(SavedRun(recorded, clock=lambda: 0)) as run, served_at("0") as metrics:
        run.begin(0, 1.0, is_paused=True)
        watched, pages = metrics.watching(run), []
        for _ in range(2):
            watched.tick(0)
        for after_ns in (10**18, 0, 10**9, 10**18):
            assert run.moment is not None
            run.seek(run.moment.start + after_ns)
            while run.moment.heading_for is not None:
                watched.tick(0)
            pages.append(scrape(metrics.url))
    counted = [name for name in pages[0] if "_total" in name or name.endswith(("_count", "_sum"))]
    assert len(counted) > 40
    for before, after in pairwise(pages):
        assert {name for name in counted if after[name] < before[name]} == set()


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        ("/", "GET", 200),
        ("/metrics", "GET", 200),
        ("/metric", "GET", 404),
        ("/metrics", "POST", 405),
        ("/", "HEAD", 405),
    ],
)
def test_there_is_one_page_to_read_and_a_word_where_it_is(path: str, method: str, status: int) -> None:
    with served_at("0") as metrics:
        try:
            with urlopen(Request(metrics.url.replace("/metrics", path), method=method), timeout=20) as page:
                found, text = page.status, page.read().decode()
        except HTTPError as error:
            found, text = error.code, ""
    assert found == status
    assert status != 200 or "radixtop" in text


def test_a_scrape_sees_the_newest_snapshot_and_a_source_is_as_it_was() -> None:
    class Playing(FakeSource):
        def close(self) -> None:
            self.samples = {}

        def check(self) -> None:
            raise RadixtopError("checked")

        def pause(self) -> str:
            return "paused"

    source = Playing()
    with served_at("0") as metrics:
        watched = metrics.watching(source)
        before = scrape(metrics.url)
        snapshot: Snapshot = watched.tick(7)
        assert scrape(metrics.url)["radixtop_queries_total"] == 1_234
        assert "radixtop_queries_total" not in before
        assert (snapshot.seq, watched.mirror) == (1, source.mirror)
        assert watched.pause() == "paused"  # type: ignore[attr-defined]
        assert not hasattr(watched, "resume")
        watched.close()
        with pytest.raises(RadixtopError, match="checked"):
            watched.check()
    assert source.samples == {}


def test_without_an_address_nothing_is_served_and_a_source_is_itself() -> None:
    source = FakeSource()
    with served_at(None) as metrics:
        assert metrics.watching(source) is source  # type: ignore[arg-type]
        assert (metrics.url, metrics.titled("title")) == ("", "title")
        assert type(metrics) is Metrics


def test_the_whole_network_is_served_when_told_and_warned_of(capsys: pytest.CaptureFixture[str]) -> None:
    with served_at("0.0.0.0:0") as metrics:
        assert metrics.url.startswith("http://0.0.0.0:")
    assert f"whoever can reach {metrics.url}" in capsys.readouterr().err
    with served_at("localhost:0"):
        assert capsys.readouterr().err == ""


@pytest.mark.needs("ipv6")
def test_an_address_of_version_6_stands_in_brackets() -> None:
    with served_at("[::1]:0") as metrics:
        assert metrics.url.startswith("http://[::1]:")
        assert scrape(metrics.url)["radixtop_up"] == 0


def test_a_wrong_address_is_a_usage_error_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["attach", "shm:1", "--prometheus", ":9400"]) == 2
    assert "use PORT or HOST:PORT" in " ".join(capsys.readouterr().err.split())


def test_a_port_that_is_in_use_is_said_before_anything_starts(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["play", "/no/such/file", "--prometheus", str(port)]) == 1
    assert f"port {port} of 127.0.0.1 is in use" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "words"), [("192.0.2.1", "no address of this machine"), ("no.such.host.invalid", "no address is known")]
)
def test_a_host_that_is_not_here_is_said(host: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["play", "/no/such/file", "--prometheus", f"{host}:0"]) == 1
    assert words in capsys.readouterr().err
