"""`radixtop bench inside`: what our probes cost SGLang's own cache, as ratios of one run."""

from __future__ import annotations

import json
import sys

import pytest

from radixtop import cli
from radixtop.bench import inside
from tests.support.peers import named_peers


def test_each_step_is_told_beside_the_plain_one() -> None:
    steps = dict.fromkeys(("match", "room", "write_back", "finish", "request"), 50.0)
    modes = {"plain": steps, "probes": {**steps, "match": 75.0}, "tree": {**steps, "match": 100.0}}
    lines = inside.text({"version": "0.5.23", "us_per_request": {"rust, pages of 64": modes}}).splitlines()
    assert len(lines) == 2 + len(steps)
    assert [cell.strip() for cell in lines[2].split("|")[2:7]] == ["50 us", "75 us", "100 us", "x1.50", "x2.00"]


@pytest.mark.parametrize(
    ("peer", "code", "said"),
    [
        ("here", 2, "is no peer"),
        ("a=/nowhere", 1, "cannot be run"),
        (f"a={sys.executable}:/nowhere", 1, "ended with"),
    ],
)
def test_a_peer_that_cannot_be_measured_is_told_in_a_line(
    peer: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["bench", "inside", "--peer", peer]) == code
    assert said in capsys.readouterr().err


@pytest.mark.needs("peers")
def test_the_tree_of_large_pages_costs_less_than_the_request(capsys: pytest.CaptureFixture[str]) -> None:
    peer = named_peers()[-1]
    found = inside.measure(peer, {"cores": ["rust"], "pages": [64], "requests": 40, "runs": 1})
    modes = json.loads(json.dumps(found))["us_per_request"]["rust, pages of 64"]
    assert modes["plain"]["request"] * 2.5 > modes["tree"]["request"] > 0
