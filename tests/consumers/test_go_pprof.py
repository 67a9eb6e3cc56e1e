"""pprof files in `go tool pprof`."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from profiles.diff.format import DiffOptions, write_difference
from profiles.profile import ForestProfile, RecordedProfile
from tests.support.exporting import Exported
from tests.support.exporting import exported as exported_profile
from tests.support.forests import flat_forest, small_difference

pytestmark = [pytest.mark.needs("go"), pytest.mark.timeout(300)]


def pprof(folder: Path, *arguments: object) -> str:
    """Return what `go tool pprof` says; it must not complain."""
    environment = {**os.environ, "PPROF_TMPDIR": str(folder), "HOME": str(folder)}
    command = ["go", "tool", "pprof", *map(str, arguments)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
    return ran.stdout


def total(top: str) -> int:
    """Return the total that a report states."""
    return int(top.partition("% of ")[2].split()[0])


def test_every_weight_has_its_total(recording: Path, exported: Exported, tmp_path: Path) -> None:
    with RecordedProfile(recording) as profile:
        wholes = {name: sum(column) for name, column in profile.forest.weights.items()}
    path = exported("pprof", weight="hits")
    for weight in ("tokens", "hits", "recomputed", "evicted"):
        top = pprof(tmp_path, "-top", "-nodefraction=0", f"-sample_index={weight}", path)
        assert f"Type: {weight}" in top
        assert total(top) == wholes[weight]


def test_the_chosen_weight_is_shown_without_asking(exported: Exported, tmp_path: Path) -> None:
    assert "Type: evicted" in pprof(tmp_path, "-top", exported("pprof", weight="evicted"))


def test_labels_are_tags(exported: Exported, tmp_path: Path) -> None:
    tags = pprof(tmp_path, "-tags", exported("pprof"))
    named = {line.partition(":")[0].strip() for line in tags.splitlines() if ": Total " in line}
    assert {"segment", "resident", "lost", "start", "namespace"} <= named


def test_tags_can_be_asked_for(exported: Exported, tmp_path: Path) -> None:
    path = exported("pprof", weight="evicted")
    everything = pprof(tmp_path, "-top", "-nodefraction=0", path)
    documents = pprof(tmp_path, "-top", "-nodefraction=0", "-tagfocus=segment=document", path)
    assert 0 < total_flat(documents) < total_flat(everything)


def total_flat(top: str) -> int:
    """Return how much the lines of a report sum up to."""
    return int(top.partition("accounting for ")[2].split(",")[0])


def test_brackets_in_names_stay(tmp_path: Path) -> None:
    path = tmp_path / "brackets.pb.gz"
    path.write_bytes(exported_profile(ForestProfile(flat_forest(["agent <v2> (b)"], [3])), "pprof"))
    assert "agent <v2> (b) ·" in pprof(tmp_path, "-top", path)


def test_a_file_against_itself_is_no_difference(exported: Exported, tmp_path: Path) -> None:
    path = exported("pprof")
    assert "accounting for 0, 0% of" in pprof(tmp_path, "-top", f"-diff_base={path}", path)


def test_the_raw_dump_says_when_and_has_every_sample_type(exported: Exported, tmp_path: Path) -> None:
    raw = pprof(tmp_path, "-raw", exported("pprof"))
    assert "tokens/count[dflt] hits/count recomputed/count" in raw
    assert "Duration: " in raw
    assert "Mappings\n1: 0x0/0x0/0x0 mixed" in raw


def test_a_difference_has_both_sides_and_the_change(tmp_path: Path) -> None:
    difference = small_difference()
    path = tmp_path / "diff.pb.gz"
    with path.open("wb") as out:
        write_difference(difference, "pprof", DiffOptions("tokens"), out)
    top = pprof(tmp_path, "-top", "-nodefraction=0", path)
    assert "Type: tokens_change" in top
    flats = [int(line.split()[0]) for line in top.splitlines() if "·" in line]
    assert (min(flats), sum(flats)) == (-3, difference.balance("tokens").delta)
    for side, whole in (
        ("before", difference.balance("tokens").before),
        ("after", difference.balance("tokens").after),
    ):
        assert total(pprof(tmp_path, "-top", "-nodefraction=0", f"-sample_index=tokens_{side}", path)) == whole
