"""What the command line of a server on this machine says."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from probes.engines.local_process import command_line, flag_in, flag_of_listener, listener_at
from tests.support.fake_server import serving, unused_port

FLAG = "--kv-events-config"
LISTEN = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True); input()"


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["vllm", "serve", FLAG, "{}"], "{}"),
        (["vllm", "serve", f"{FLAG}={{}}", "--port", "1"], "{}"),
        (["vllm", "serve", "--kv_events_config", "{}"], "{}"),
        (["vllm", FLAG, "1", FLAG, "2"], "2"),
        (["vllm", FLAG], ""),
        (["vllm", "serve"], None),
        ([], None),
    ],
)
def test_a_flag_is_found_as_people_write_it(words: list[str], value: str | None) -> None:
    assert flag_in(words, FLAG) == value


def test_a_flag_in_parts_is_put_together() -> None:
    words = ["vllm", f"{FLAG}.enable_kv_cache_events", "true", f"{FLAG}.endpoint=tcp://*:1"]
    assert json.loads(flag_in(words, FLAG) or "") == {"enable_kv_cache_events": True, "endpoint": "tcp://*:1"}


def test_this_process_is_found_by_its_port() -> None:
    with serving({}) as server:
        assert listener_at(server.address.port) == os.getpid()


def test_nobody_is_found_where_nobody_listens() -> None:
    assert listener_at(unused_port()) is None
    assert flag_of_listener(unused_port(), FLAG, "sglang") is None


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["sglang.launch_server", FLAG, '{"publisher":"zmq"}'], '{"publisher":"zmq"}'),
        (["sglang.launch_server"], ""),
        (["socat", "tcp-listen:30000"], None),
    ],
    ids=["with the flag", "without it", "a forwarder"],
)
def test_the_flag_of_a_process_is_read(words: list[str], value: str | None) -> None:
    command = [sys.executable, "-c", LISTEN, *words]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        port = int(process.stdout.readline())
        assert flag_of_listener(port, FLAG, "sglang") == value
        process.communicate("\n")


def test_a_process_that_is_gone_has_no_command_line() -> None:
    assert command_line(2**22 + 1) == ()
