"""Flame graphs in speedscope: every format that it reads, recognised by name and drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.exporting import Exported
from tests.support.speedscope_app import opened

pytestmark = [pytest.mark.needs("chromium", "speedscope"), pytest.mark.timeout(300)]


@pytest.mark.parametrize(
    ("format", "importer"),
    [
        ("speedscope", "speedscope json file"),
        ("collapsed", "collapsed stack format"),
        ("pprof", "protobuf encoded pprof file"),
    ],
)
def test_it_is_known_for_what_it_is_and_drawn(format: str, importer: str, exported: Exported, tmp_path: Path) -> None:
    with opened(exported(format), tmp_path) as tab:
        assert f"Importing as {importer}" in tab.messages
        assert tab.complaints == []


def test_there_is_a_profile_per_weight_and_the_chosen_one_is_first(exported: Exported, tmp_path: Path) -> None:
    path = exported("speedscope", weight="evicted")
    profiles = json.loads(path.read_text())["profiles"]
    with opened(path, tmp_path) as tab:
        number = [profile["name"] for profile in profiles].index("evicted tokens") + 1
        tab.wait_for(f"document.body.innerText.includes('evicted tokens ({number}/{len(profiles)})')")
        tab.press("p")
        before = profiles[number - 2]["name"]
        tab.wait_for(f"document.body.innerText.includes({json.dumps(f'{before} ({number - 1}/')})")
