"""Kinds of segments: names without their numbers."""

from __future__ import annotations

import pytest

from probes.lives.segment_kinds import SegmentKinds
from probes.mirroring.names import Names


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("question 17", "question"),
        ("topic 1, passage 32", "topic, passage"),
        ("doc#5", "doc"),
        ("document 5 日本", "document 日本"),
        ("17", "17"),
        ("plain", "plain"),
    ],
)
def test_a_kind_is_a_name_without_numbers(name: str, kind: str) -> None:
    names = Names(16)
    names.tell(1, name, lambda: {1})
    assert SegmentKinds(names).of(1) == kind
