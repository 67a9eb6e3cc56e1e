"""The tables of metric names: what holds of each, and that the recorded pages have what they say."""

from __future__ import annotations

import re

import pytest

from probes.scrapes.metric import ENGINES, EngineMetrics, Selector
from probes.scrapes.page import read_page
from probes.scrapes.roles import ROLES
from tests.support.metrics_pages import recorded_page

VERSION = re.compile(r"\d+\.\d+\.\d+")
NEWEST = {"sglang": "sglang_0.5.23_t1", "vllm": "vllm_0.33.0_t1"}
SWITCHED_OFF = {
    "sglang": {
        "aborted_requests", "retracted_requests", "retracted_input_tokens", "retracted_output_tokens",
        "swa_total_tokens", "session_held_tokens", "host_mamba_used_states", "host_mamba_total_states",
        "storage_backup_dropped_tokens",
    },
    "vllm": {"load_back_bytes", "backup_bytes", "rejected_requests", "recomputed_tokens"},
}  # fmt: skip
"""What the recorded servers had no cause to tell: nothing of it happened, or another switch brings it."""


@pytest.fixture(params=ENGINES.names)
def metrics(request: pytest.FixtureRequest) -> EngineMetrics:
    return ENGINES.load(request.param)


def selectors(metrics: EngineMetrics) -> list[tuple[str, Selector]]:
    return [(role, selector) for role, several in metrics.roles.items() for selector in several]


def test_an_engine_is_named_as_in_the_table(metrics: EngineMetrics) -> None:
    assert ENGINES.load(metrics.engine) is metrics


def test_every_role_is_one_of_all_engines(metrics: EngineMetrics) -> None:
    assert set(metrics.roles) <= set(ROLES)


def test_counters_end_as_counters_do_on_the_wire(metrics: EngineMetrics) -> None:
    for role, selector in selectors(metrics):
        assert selector.name.endswith("_total") == (ROLES[role].kind == "counter"), selector.name


def test_every_selector_says_which_versions_have_it(metrics: EngineMetrics) -> None:
    assert all(
        VERSION.fullmatch(selector.since) and VERSION.fullmatch(selector.until) for _, selector in selectors(metrics)
    )


def test_views_are_of_roles_that_the_engine_has(metrics: EngineMetrics) -> None:
    for view in metrics.views:
        assert {*view.queried, *view.hits.values()} <= set(metrics.roles)


def test_the_newest_page_has_every_name_but_of_what_did_not_happen(metrics: EngineMetrics) -> None:
    names = read_page(recorded_page(NEWEST[metrics.engine]), frozenset()).names
    missing = {
        role
        for role, several in metrics.roles.items()
        if not any(set(metrics.names(role, selector)) <= names for selector in several)
    }
    assert missing <= SWITCHED_OFF[metrics.engine]


def test_every_role_is_told_by_an_engine_or_follows() -> None:
    told = {role for engine in ENGINES for role in ENGINES.load(engine).roles}
    assert set(ROLES) - told <= {"scheduler_untold_hit_tokens", "frontend_remote_hit_tokens", "mamba_total_states"}


def test_the_gauge_of_one_batch_is_in_no_table() -> None:
    assert not [name for engine in ENGINES for name in ENGINES.load(engine).wanted if "cache_hit_rate" in name]


def test_a_role_ends_in_its_unit() -> None:
    for name, role in ROLES.items():
        if role.unit not in ("ratio", "switch", "GB", "tokens/s"):
            assert name.endswith(role.unit), name
        assert role.help.endswith(".")
