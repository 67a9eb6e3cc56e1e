"""Whatever a recording holds, it is played, drawn and exported: no crash, no hang, no control character."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Callable, Iterable
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from prometheus_client.parser import text_string_to_metric_families as parse

from probes.adapters.recording import RecordingAdapter
from probes.aggregator import Aggregator
from probes.snapshot import Snapshot, component_names
from profiles.diff.difference import compare
from profiles.diff.format import DIFF_FORMATS, DiffOptions, write_difference
from profiles.diff.instants import forests_at
from profiles.exporter import EXPORTERS, ExportOptions, export
from profiles.metric import Seen
from profiles.profile import RecordedProfile
from radixtop import cli
from radixtop.metrics.exposition import MetricsPage
from radixtop.panel import PANELS, Canvas
from radixtop.render.chrome import Status, Tabs, banner, header
from radixtop.render.lines import Line
from radixtop.render.node_lines import node_lines
from radixtop.render.tree_line import TreeTable
from radixtop.scene import status_of
from radixtop.tree.detail import node_detail
from radixtop.tree.index import TreeIndex
from radixtop.tree.request import TreeRequest
from tests.support.hostile import write_hostile

SEEDS = range(24)
WIDTH = 100

pytestmark = pytest.mark.timeout(60)


@pytest.fixture(params=SEEDS, scope="module")
def hostile(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a hostile recording. Read it, do not write to it."""
    path = tmp_path_factory.mktemp("hostile") / "hostile.radixtop"
    write_hostile(path, request.param)
    return path


def played(path: Path) -> tuple[Aggregator, Snapshot]:
    """Return all that is known at the end of a recording."""
    aggregator = Aggregator(RecordingAdapter(path, math.inf))
    aggregator.tick(0)
    snapshot = aggregator.tick(1)
    assert snapshot.faults == ()
    return aggregator, snapshot


def unprintable(lines: Iterable[Line]) -> list[str]:
    """Return the texts that could drive a terminal."""
    return [text for line in lines for text, _ in line if not text.isprintable()]


def test_panels_draw_it(hostile: Path) -> None:
    _, snapshot = played(hostile)
    status = status_of(Status("a recording", "starting"), snapshot)
    lines = [*header(status, Tabs(("overview",), "overview"), WIDTH)[0], *banner(status, WIDTH)]
    for name in PANELS.names:
        panel = PANELS.load(name)()
        canvas = Canvas(WIDTH, 12, snapshot.now)
        lines += panel.paint(snapshot.get(panel.sample), canvas)
    assert unprintable(lines) == []


def test_the_tree_draws_it(hostile: Path) -> None:
    aggregator, snapshot = played(hostile)
    mirror, components = aggregator.mirror, component_names(snapshot.source.config)
    page = TreeIndex(lambda: 0).page(mirror, TreeRequest(count=50, depth=64))
    table = TreeTable(WIDTH, snapshot.now, page.standing.tokens, components)
    lines = [table.line(row) for row in page.rows]
    for number in mirror.nodes:
        detail = node_detail(mirror, snapshot, number)
        assert detail is not None
        lines += node_lines(detail, WIDTH, snapshot.now, components)
    assert unprintable(lines) == []


@pytest.mark.parametrize("format", EXPORTERS.names)
def test_exports_of_it_can_be_read(hostile: Path, format: str) -> None:
    read: dict[str, Callable[[bytes], object]] = {
        "svg": ElementTree.fromstring, "speedscope": json.loads, "chrome_trace": json.loads, "pprof": gzip.decompress,
    }  # fmt: skip
    with RecordedProfile(hostile) as profile:
        for weight in profile.forest.weights:
            out = BytesIO()
            export(profile, format, ExportOptions(weight), out)
            read.get(format, bytes.splitlines)(out.getvalue())


REPORTS = (
    ["evict"], ["evict", "--format", "svg"], ["evict", "--compare", "--limit", "1"], ["branching"],
    ["branching", "--format", "csv"], ["ages"], ["ages", "--by", "namespace"],
)  # fmt: skip


@pytest.mark.parametrize("report", REPORTS, ids=" ".join)
def test_reports_of_it_are_printed(report: list[str], hostile: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["profile", report[0], str(hostile), *report[1:]]) in (0, 1)
    shown = capsys.readouterr()
    assert (shown.out + shown.err).replace("\n", "").isprintable()


def test_its_metrics_are_served(hostile: Path) -> None:
    _, snapshot = played(hostile)
    for accept in ("text/plain", "application/openmetrics-text; version=1.0.0"):
        request = {"REQUEST_METHOD": "GET", "PATH_INFO": "/metrics", "HTTP_ACCEPT": accept}
        body = MetricsPage(lambda: Seen(snapshot, 5, "1.0")).answer(request)[2].decode()
        assert body.replace("\n", "").isprintable()
        assert list(parse(body))


@pytest.mark.parametrize("format", DIFF_FORMATS.names)
def test_differences_of_it_can_be_read(hostile: Path, format: str) -> None:
    with RecordedProfile(hostile) as profile:
        sides = forests_at(profile, (0.0, 1e6, math.inf)).forests
    for before, after in pairwise(sides):
        difference = compare(before, after, one_run=True)
        for weight in difference.weights:
            out = BytesIO()
            write_difference(difference, format, DiffOptions(weight), out)
            assert difference.balance(weight).delta == after.whole(weight) - before.whole(weight)
            (json.loads if format == "json" else bytes.splitlines)(out.getvalue())
