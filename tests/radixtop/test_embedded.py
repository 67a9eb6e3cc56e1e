"""A run's flags become the settings of the cache and the engine that serve it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from radixtop import cli
from radixtop.serving.embedded import build_workload, cache_config
from radixtop.serving.run_config import RunConfig


def test_the_components_that_were_asked_for_are_those_of_the_cache() -> None:
    settings = cache_config(RunConfig(components="full,swa,mamba", mamba_slots=40, mamba_chunk=32))
    assert settings.components == ("full", "swa", "mamba")
    assert (settings.mamba_slots, settings.mamba_chunk_tokens) == (40, 32)


def test_a_cache_without_windows_has_no_window() -> None:
    settings = cache_config(RunConfig(components="full,mamba"))
    assert (settings.window, settings.swa_slots) == (None, None)
    assert settings.mamba_slots


def test_a_host_tier_is_asked_for_by_its_slots() -> None:
    assert cache_config(RunConfig()).host_slots == 0
    settings = cache_config(RunConfig(host_slots=5000, write_policy="write_back"))
    assert (settings.host_slots, settings.write_policy) == (5000, "write_back")


def test_what_the_policy_is_told_gets_to_the_cache() -> None:
    run = RunConfig(policy="slru", policy_options=(("threshold", 3),))
    assert RunConfig.from_json(run.to_json()) == run
    assert cache_config(run).policy_options == (("threshold", 3),)


def test_what_the_workload_is_told_gets_to_its_prompts() -> None:
    run = RunConfig("shared_prompt", (("system_tokens", "300"), ("timestamp", "first")), swa_eviction="lru")
    assert RunConfig.from_json(run.to_json()) == run
    assert cache_config(run).swa_eviction == "lru"
    assert [start for start, _ in build_workload(run).prompt(0).segments] == [0, 12, 312, 408]


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--components", "full,moe"), "'moe' is not one of full, swa, mamba"),
        (("--write-policy", "never"), "'never' is not one of write_through"),
        (("--components", "swa,full"), "must start with 'full'"),
        (("--policy-option", "threshold=3"), "option 'threshold' of policy 'lru' is unknown; it has none"),
        (("--policy", "slru", "--policy-option", "hits=3"), "is unknown; choose from: threshold"),
        (("--policy", "slru", "--policy-option", "threshold=0"), "is 0, an int32 of at least 1"),
        (("--policy", "slru", "--policy-option", "threshold"), "'threshold' is no name and number"),
        (("--policy", "slru", "--policy-option", "threshold=-1"), "is no name and number"),
        (("--policy", "slru", "--policy-option", "threshold=" + 5_000 * "9"), "has 5,000 digits"),
        (("--mamba-slots", "40"), "--mamba-slots does nothing without --components full,swa,mamba"),
        (("--mamba-chunk", "64"), "--mamba-chunk does nothing without --components full,swa,mamba"),
        (("--write-policy", "write_through"), "--write-policy does nothing without --host-slots"),
        (("--workload-option", "timestamp"), "'timestamp' is no name and value, such as timestamp=first"),
        (("--workload-option", "colour=red"), "option 'colour' is unknown; choose from: system_prompts"),
        (("--workload-option", "system_tokens=many"), "system_tokens is 'many', a number is needed"),
        (("--swa-eviction", "fifo"), "'fifo' is not one of lru, tail_window_last"),
        (("--schedule-limit", 5_000 * "9"), "has 5,000 digits"),
    ],
)
def test_settings_that_no_cache_has_are_answered_with_the_choices(
    flags: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["live", "--headless", *flags]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.needs("torch")
def test_a_model_with_every_kind_of_layer_runs_over_a_host_tier() -> None:
    flags = ["--components", "full,swa,mamba", "--host-slots", "50000", "--full-slots", "3000", "--requests", "12"]
    flags += ["--mamba-slots", "40", "--mamba-chunk", "32", "--write-policy", "write_back"]
    command = [sys.executable, "-m", "radixtop", "live", "--headless", "--json", *flags]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    config = json.loads(ran.stdout)["config"]
    assert config["components"] == ["full", "swa", "mamba"]
    assert (config["mamba_slots"], config["mamba_chunk_tokens"], config["write_policy"]) == (40, 32, "write_back")
