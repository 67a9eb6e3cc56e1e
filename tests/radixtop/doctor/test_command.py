"""`radixtop doctor`: text, document, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from radixtop import cli
from tests.support.engine_pages import sglang
from tests.support.fake_server import FakeServer, serving, unused_port

SECRET = "sk-very-secret"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    """Return exit code, stdout and stderr."""
    code = cli.main(["doctor", *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def named(server: FakeServer) -> str:
    """Return the target that a server is."""
    return f"sglang://127.0.0.1:{server.address.port}"


def test_without_a_target_it_is_about_this_machine(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    assert out.startswith("this machine\n  ok       radixtop")


def test_a_target_that_lacks_flags_is_reachable(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(sglang("0.5.22", kv_events=None)) as server:
        code, out, _ = run(capsys, named(server))
    assert code == 0
    assert "do: start it with --kv-events-config" in out


def test_an_unreachable_target_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, f"sglang://127.0.0.1:{unused_port()}")
    assert code == 1
    assert "nothing listens" in out


def test_one_unreachable_target_among_others_is_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(sglang("0.5.22", kv_events=None)) as server:
        code, out, _ = run(capsys, f"{named(server)},tcp://127.0.0.1:{unused_port()}")
    assert code == 1
    assert "sglang 0.5.22" in out


@pytest.mark.parametrize("word", ["http://gpu7:30000", "gpu7", "sglang://", "run.rtrec"])
def test_what_is_no_target_is_exit_code_2(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, word)
    assert (code, out) == (2, "")
    assert "is no target" in err


def test_the_document_is_one_and_says_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(sglang("0.5.22", kv_events=None)) as server:
        code, out, err = run(capsys, named(server), "--json")
    document = json.loads(out)
    (checked,) = document["checked"]
    assert (code, err, document["schema"]) == (0, "", 1)
    assert checked["target"] == named(server)
    assert checked["reachable"] is True
    assert {"status", "what", "says", "hint", "needed"} == {*checked["findings"][0]}


def test_names_that_a_server_gives_do_not_drive_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(sglang("0.5.22\x1b[2J", kv_events=None, model_path="a\nb\x07\ud800‮")) as server:
        _, out, err = run(capsys, named(server))
    assert out.replace("\n", "").isprintable()
    assert "a·b·?·" in out
    assert err == ""


@pytest.mark.parametrize("way", ["flag", "file", "environment"])
def test_a_key_is_sent_and_never_shown(
    way: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text(SECRET)
    if way == "environment":
        monkeypatch.setenv("RADIXTOP_API_KEY", SECRET)
    flags = {"flag": ["--api-key", SECRET], "file": ["--api-key-file", str(file)], "environment": []}[way]
    with serving(sglang("0.5.22", kv_events=None), token=SECRET) as server:
        code, out, err = run(capsys, named(server), *flags)
    assert code == 0
    assert f"Bearer {SECRET}" in server.keys
    assert SECRET not in out + err


def test_a_wrong_key_is_refused_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    with serving(sglang("0.5.22"), token="another") as server:
        code, out, err = run(capsys, named(server), "--api-key", SECRET)
    assert code == 1
    assert "refuses this API key" in out
    assert SECRET not in out + err
