"""The flag that makes a server publish, as it is told and as it is documented."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes import adapters
from probes.engines.fields import parsed_fields
from probes.engines.kv_config import config_of
from probes.kv.server_flag import FLAG, server_flag

DOCUMENTED = (Path(adapters.__file__).parent / "README.md").read_text()


@pytest.mark.parametrize("engine", ["sglang", "vllm"])
def test_the_flag_is_the_documented_one_and_means_what_it_should(engine: str) -> None:
    assert f"`{server_flag(engine)}`" in DOCUMENTED
    said = server_flag(engine, "tcp://*:7", "tcp://*:8").removeprefix(f"{FLAG} '").removesuffix("'")
    config = config_of(parsed_fields(said))
    assert (config.is_publishing, config.endpoint, config.replay_endpoint) == (True, "tcp://*:7", "tcp://*:8")
