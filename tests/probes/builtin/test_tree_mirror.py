"""The tree sample."""

from __future__ import annotations

from probes.builtin.tree_mirror import TreeMirror
from tests.support.observing import S, probe_of
from tests.support.records import added


def test_the_sample_is_the_mirror_itself() -> None:
    probe = probe_of(TreeMirror, [added(1, 0, 4)])
    assert probe.sample(S).mirror is probe.mirror
