"""Targets over a network: what they name, and what is said of those that name nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probes.engines.access import Address
from radixtop.engine_target import (
    EngineTarget,
    NetworkTarget,
    StreamTarget,
    check_no_file,
    is_network_target,
    network_target_of,
    network_targets_of,
)
from radixtop.errors import UsageError


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("sglang://gpu7:31000", EngineTarget("sglang", Address("gpu7", 31000))),
        ("sglang://gpu7", EngineTarget("sglang", Address("gpu7", 30000))),
        ("sglang://gpu7/", EngineTarget("sglang", Address("gpu7", 30000))),
        ("sglang+http://gpu7:1", EngineTarget("sglang", Address("gpu7", 1))),
        ("SGLang+HTTPS://gpu7:443", EngineTarget("sglang", Address("gpu7", 443, True))),
        ("vllm://127.0.0.1", EngineTarget("vllm", Address("127.0.0.1", 8000))),
        ("vllm+https://[::1]:9", EngineTarget("vllm", Address("::1", 9, True))),
        ("vllm://[fd00::7]", EngineTarget("vllm", Address("fd00::7", 8000))),
        ("tcp://gpu7:5557", StreamTarget("gpu7", 5557)),
        ("tcp://[::1]:5557", StreamTarget("::1", 5557)),
    ],
)
def test_a_target_is_read(text: str, target: NetworkTarget) -> None:
    assert network_target_of(text) == target
    assert network_target_of(str(target)) == target


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http://gpu7:30000", "sglang://HOST:PORT or vllm://HOST:PORT"),
        ("https://gpu7", "sglang+https://"),
        ("sglang://me:secret@gpu7:1", "--api-key-file"),
        ("sglang://::1:30000", "in brackets"),
        ("sglang://gpu7:0", "ports go from 1"),
        ("sglang://gpu7:65536", "ports go from 1"),
        ("sglang://gpu7:1/v1", "use sglang://HOST:PORT"),
        ("sglang://gpu7:1?x=1", "use sglang://HOST:PORT"),
        ("sglang://", "use sglang://HOST:PORT"),
        ("trtllm://gpu7:1", "use sglang://HOST:PORT"),
        ("tcp+https://gpu7:1", "use sglang://HOST:PORT"),
        ("tcp://gpu7", "5557"),
        ("tcp://*:5557", "use sglang://HOST:PORT"),
        ("ipc:///tmp/x", "use sglang://HOST:PORT"),
        ("sglang://a b:1", "use sglang://HOST:PORT"),
        ("sglang://x\x1b[2J:1", "use sglang://HOST:PORT"),
    ],
)
def test_what_names_nothing_says_what_would(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        network_target_of(text)
    assert said in caught.value.hint


@pytest.mark.parametrize("text", ["4711", "gpu7", "run.log"])
def test_what_need_not_be_a_file_is_left_to_others(text: str) -> None:
    check_no_file(text)


@pytest.mark.parametrize("text", ["a/b", "./run", "/tmp/none", "run.rxkv", "run.bin.xz", "run.rtrec"])
def test_what_can_only_be_a_file_is_said_not_to_be_there(text: str) -> None:
    with pytest.raises(UsageError, match="no such file"):
        check_no_file(text)


def test_several_stand_with_commas_or_apart_and_count_once() -> None:
    found = network_targets_of(["sglang://a:1, vllm://b:2", "sglang://a:1,"])
    assert [*map(str, found)] == ["sglang://a:1", "vllm://b:2"]


@pytest.mark.parametrize("texts", [[], [""], [" , "], [f"tcp://h:{port}" for port in range(1, 300)]])
def test_none_and_too_many_are_refused(texts: list[str]) -> None:
    with pytest.raises(UsageError):
        network_targets_of(texts)


@pytest.mark.parametrize(
    ("text", "yes"), [("tcp://a:1", True), ("shm:12", False), ("12-1", False), ("run.rtrec", False)]
)
def test_what_is_meant_as_one(text: str, yes: bool) -> None:
    assert is_network_target(text) is yes


@given(st.text(max_size=40) | st.from_regex(r"(sglang|vllm|tcp)(\+https)?://.{0,20}", fullmatch=True))
def test_any_text_is_a_target_or_a_usage_error(text: str) -> None:
    try:
        found = network_target_of(text)
    except UsageError:
        return
    assert network_target_of(str(found)) == found
