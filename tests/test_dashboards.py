"""The Grafana dashboard and the alert rules ask only for what is exported, and the README names all of it."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from probes.builtin.hit_rate import HitRateSample, HitTotals
from profiles.metric import Seen, all_metrics
from radixtop.metrics.exposition import MetricsPage
from tests.support.promql import Query, Selector, read_query
from tests.support.watched import FakeSource, samples

ROOT = Path(__file__).parent.parent
DASHBOARD: dict[str, Any] = json.loads((ROOT / ".github/grafana/radixtop.json").read_text())
ALERTS = ROOT / ".github/prometheus/alerts.yml"
RULES: list[dict[str, Any]] = [
    rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]
]
TARGET = {"job", "instance"}
"""Labels that Prometheus adds to every series."""
METRICS = {metric.name: metric for metric in all_metrics()}
LABELS: Mapping[str, set[str]] = {
    **{metric.name: {*metric.labels} for metric in METRICS.values() if metric.kind != "histogram"},
    **{
        f"{metric.name}{suffix}": {*metric.labels, *({"le"} if suffix == "_bucket" else ())}
        for metric in METRICS.values()
        if metric.kind == "histogram"
        for suffix in ("_bucket", "_sum", "_count")
    },
    **{rule["record"]: set() for rule in RULES if "record" in rule},
}
"""The labels of every series that can be asked for."""


def panel_queries() -> Iterator[tuple[str, str]]:
    """Yield the title of a panel and a query of it."""
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"]


def variable_queries() -> Iterator[tuple[str, str]]:
    """Yield the name of a variable and the selector that its values come from."""
    for variable in DASHBOARD["templating"]["list"]:
        if variable["type"] == "query":
            yield variable["name"], re.fullmatch(r"label_values\((.*), \w+\)", variable["definition"])[1]  # type: ignore[index]


QUERIES = [
    *panel_queries(),
    *variable_queries(),
    *((rule.get("alert") or rule["record"], rule["expr"]) for rule in RULES),
]


def known_values() -> dict[str, set[str]]:
    """Return the values that labels have on the page of a cache that has everything."""
    hits = HitTotals(1, 100, 50, 60, 20, 20)
    made_up = {**samples(), "hit_rate": HitRateSample(hits, hits, hits, (), (), has_host_tier=True)}
    snapshot = replace(FakeSource().tick(0), samples=made_up)
    values: dict[str, set[str]] = {}
    for metric in METRICS.values():
        for words in metric.read(Seen(snapshot)):
            for label, word in zip(metric.labels, words, strict=True):
                values.setdefault(label, set()).add(word)
    return values


def wrong_in(query: Query) -> list[str]:
    """Return what a query asks for that nobody exports."""
    values = known_values()
    wrong = [selector.metric for selector in query.selectors if selector.metric not in LABELS]
    for selector in query.selectors:
        unknown = selector.matchers.keys() - LABELS.get(selector.metric, set()) - TARGET
        wrong += [f"{selector.metric}{{{label}}}" for label in unknown]
        wrong += [
            f'{label}="{value}"'
            for label, value in selector.matchers.items()
            if "$" not in value and value not in values.get(label, set())
        ]
    everything = set().union(*(LABELS.get(selector.metric, set()) for selector in query.selectors))
    return wrong + sorted(query.labels - everything - TARGET)


@pytest.mark.parametrize(("place", "expression"), QUERIES)
def test_a_query_asks_only_for_what_is_exported(place: str, expression: str) -> None:
    assert wrong_in(read_query(expression)) == []


@pytest.mark.parametrize(
    ("expression", "wrong"),
    [
        ("rate(radixtop_hits_total[5m])", ["radixtop_hits_total"]),
        ('radixtop_pool_tokens{tier="device"}', ["radixtop_pool_tokens{tier}"]),
        ('radixtop_pool_tokens{state="used"}', ['state="used"']),
        ("sum by (le) (rate(radixtop_queries_total[$__rate_interval]))", ["le"]),
        (
            "histogram_quantile(0.9, rate(radixtop_eviction_duration_seconds[5m]))",
            ["radixtop_eviction_duration_seconds"],
        ),
        ("radixtop_up * on (node) group_left () radixtop_build_info == 1 # radixtop_x", ["node"]),
        ("avg_over_time(radixtop_up[5m:1m] offset 5m) > bool 0.5", []),
    ],
)
def test_what_is_not_exported_is_found(expression: str, wrong: list[str]) -> None:
    assert wrong_in(read_query(expression)) == wrong


def test_matchers_belong_to_the_metric_before_them() -> None:
    found = read_query('a{x="1",y=~"2|3"} / b{z!="4"}').selectors
    assert found == [Selector("a", {"x": "1", "y": "2|3"}), Selector("b", {"z": "4"})]


def test_every_panel_can_be_drawn_from_any_data_source() -> None:
    panels = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
    assert {panel["datasource"]["uid"] for panel in panels} == {"${datasource}"}
    assert all(panel["description"] and panel["targets"] for panel in panels)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_no_two_panels_overlap() -> None:
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for at in [panel["gridPos"]]
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24


def test_a_legend_names_labels_that_its_query_leaves() -> None:
    for panel in DASHBOARD["panels"]:
        for target in panel.get("targets", ()):
            query = read_query(target["expr"])
            left = query.grouped or set().union(*(LABELS[selector.metric] for selector in query.selectors))
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= left | TARGET, panel["title"]


@pytest.mark.parametrize("rule", [rule for rule in RULES if "alert" in rule], ids=lambda rule: rule["alert"])
def test_an_alert_says_what_it_means_and_what_to_do(rule: dict[str, Any]) -> None:
    said = rule["annotations"]
    assert said.keys() == {"summary", "description", "runbook"}
    assert rule["labels"]["severity"] in ("info", "warning", "critical")
    left = set(re.findall(r"\$labels\.(\w+)", " ".join(said.values())))
    assert left <= TARGET | read_query(rule["expr"]).grouped


def test_the_readme_has_every_metric_as_it_is() -> None:
    rows = [
        f"| `{metric.name}` | {metric.kind} | {', '.join(metric.labels)} | {metric.help} |"
        for metric in METRICS.values()
    ]
    text = (ROOT / "radixtop/README.md").read_text()
    assert [line for line in text.splitlines() if line.startswith("| `radixtop_")] == rows


@pytest.mark.needs("promtool")
def test_promtool_finds_nothing_wrong_with_a_page() -> None:
    page = MetricsPage(lambda: Seen(FakeSource().tick(0), 0, "1.0"))
    _, _, body = page.answer({"REQUEST_METHOD": "GET", "PATH_INFO": "/metrics"})
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=body, capture_output=True, timeout=60, check=False
    )
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")


@pytest.mark.needs("promtool")
@pytest.mark.parametrize("command", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")])
def test_promtool_accepts_the_rules_and_they_fire_when_they_should(command: tuple[str, ...]) -> None:
    checked = subprocess.run(
        ["promtool", *command], cwd=ALERTS.parent, capture_output=True, text=True, timeout=60, check=False
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.needs("promtool")
def test_prometheus_can_read_every_query_of_the_dashboard(tmp_path: Path) -> None:
    filled = [query.replace("$__rate_interval", "5m") for _, query in panel_queries()]
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(filled)]
    (tmp_path / "queries.yml").write_text(yaml.safe_dump({"groups": [{"name": "panels", "rules": rules}]}))
    checked = subprocess.run(
        ["promtool", "check", "rules", "queries.yml"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert f"{len(rules)} rules found" in checked.stdout
