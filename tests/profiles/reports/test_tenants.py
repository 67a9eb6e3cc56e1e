"""The report on tenants, of a cache in which one floods another, and held against the real tree."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from cache_core import CacheConfig, PrefixCache, RadixKey
from probes.lives.tenants import PLAIN
from probes.recorder import FlightRecorder, RecorderOptions
from profiles.profile import RecordedProfile
from profiles.report import read
from profiles.reports.tenants import TenantReport, Tenants
from tests.support.cache_runs import CONFIGS, HOSTED, CacheRun
from tests.support.recorded import random_steps, record_run

CONFIG = CacheConfig(components=("full",), full_slots=128)


def report_on(path: Path) -> TenantReport:
    with RecordedProfile(path) as profile:
        return read(profile, Tenants)


def test_who_floods_is_told_from_who_is_flooded(tmp_path: Path) -> None:
    path = tmp_path / "run.rtrec"
    recorder = FlightRecorder(CONFIG.describe(), RecorderOptions(folder=tmp_path / "rings", recording=path))
    cache = PrefixCache(CONFIG, sink=recorder)
    recorder.follow(cache)
    for number in range(3):
        for name, tokens in (("small", range(64)), ("flood", range(1000 * number, 1000 * number + 100))):
            request = cache.admit(RadixKey([*tokens], name))
            request.prefill(len(request.key))
            request.finish()
    recorder.close("done")
    report = report_on(path)
    flood, small = report.tenants
    assert (flood.namespace, flood.requests, flood.tokens.prompt, flood.resident_share) == ("flood", 3, 300, 1.0)
    assert (small.namespace, small.evicted_for_others_tokens, small.computed_again_tokens) == ("small", 192, 126)
    cells = {(each.evictor, each.victim): each.evicted_tokens for each in report.matrix}
    assert cells == {("flood", "small"): 192, ("small", "flood"): 200}


@pytest.mark.parametrize("config", [*CONFIGS[:2], *HOSTED[:2]])
@pytest.mark.parametrize("seed", range(3))
def test_what_is_held_is_what_the_tree_has(config: CacheConfig, seed: int, tmp_path: Path) -> None:
    held: Counter[str] = Counter()

    def steps(run: CacheRun) -> None:
        random_steps(300)(run)
        for node in run.cache.tree.descend():
            if not node.is_away:
                held[str(node.namespace) or PLAIN] += node.length

    report = report_on(record_run(tmp_path / "run.rtrec", config, steps))
    assert {each.namespace: each.resident_tokens for each in report.tenants if each.resident_tokens} == held
    assert sum(each.evicted_tokens for each in report.tenants) == report.evicted_tokens
