"""The flag that makes a server publish, as it is told and as it is documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes import adapters
from probes.engines.fields import parsed_fields
from probes.engines.kv_config import config_of
from probes.kv.server_flag import FLAG, LOCAL, replay_beside, server_flag

DOCUMENTED = (Path(adapters.__file__).parent / "README.md").read_text()


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_the_flag_is_the_documented_one_and_means_what_it_should(engine: str) -> None:
    assert f"`{server_flag(engine)}`" in DOCUMENTED
    said = server_flag(engine, "tcp://*:7").removeprefix(f"{FLAG} '").removesuffix("'")
    config = config_of(parsed_fields(said))
    assert (config.is_publishing, config.endpoint, config.replay_endpoint) == (True, "tcp://*:7", "tcp://*:1007")


def test_the_flag_for_readers_on_its_own_machine_is_the_documented_one_and_binds() -> None:
    flag = server_flag("sglang", LOCAL, bind=True)
    assert f"`{flag}`" in DOCUMENTED
    assert config_of(parsed_fields(flag.removeprefix(f"{FLAG} '").removesuffix("'"))).bind is True


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_the_first_page_has_the_flag_too(engine: str) -> None:
    assert server_flag(engine) in (Path(adapters.__file__).parents[2] / "README.md").read_text()


@pytest.mark.parametrize(
    ("live", "replay"),
    [
        ("tcp://*:5557", "tcp://*:6557"),
        ("tcp://*:40000", "tcp://*:41000"),
        ("tcp://*:64535", "tcp://*:65535"),
        ("tcp://*:65530", "tcp://*:64530"),
        ("tcp://[::1]:5557", "tcp://[::1]:6557"),
        ("tcp://127.0.0.1:0", "tcp://127.0.0.1:0"),
        ("ipc:///tmp/kv", "ipc:///tmp/kv_replay"),
    ],
)
def test_replays_are_far_from_the_ports_of_other_ranks(live: str, replay: str) -> None:
    assert replay_beside(live) == replay
