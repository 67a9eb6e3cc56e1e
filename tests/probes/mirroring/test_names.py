"""Names that a mirror keeps: those in use, and the ones told last."""

from __future__ import annotations

from cache_core.changes import MOST_NAMES
from cache_core.events import Label, Namespace, NodeLabelled, NodeRemoved
from probes.mirror import Mirror
from probes.mirroring.names import SPARE_NAMES, Names
from tests.support.records import added


def test_names_are_forgotten_once_nothing_uses_them() -> None:
    mirror = Mirror(spare_names=10)
    for number in range(1, 1000):
        mirror.apply(Namespace(number, f"tenant {number}"))
        mirror.apply(Label(number, f"prompt {number}"))
        mirror.apply(added(number, 0, 4, namespace=number))
        mirror.apply(NodeLabelled(number, 0, number))
        mirror.apply(NodeRemoved(1, number))
    assert len(mirror.namespaces) <= 20
    assert len(mirror.labels) <= 20
    assert mirror.namespaces[999] == "tenant 999"


def test_names_in_use_are_kept_however_old() -> None:
    mirror = Mirror(spare_names=10)
    mirror.apply(Namespace(1, "tenant 1"))
    mirror.apply(Label(1, "prompt 1"))
    mirror.apply(added(1, 0, 4, namespace=1))
    mirror.apply(NodeLabelled(1, 0, 1))
    for number in range(2, 1000):
        mirror.apply(Namespace(number, ""))
        mirror.apply(Label(number, ""))
    assert (mirror.namespaces[1], mirror.labels[1]) == ("tenant 1", "prompt 1")


def test_those_told_last_are_kept() -> None:
    names = Names(spare=3)
    for id_ in (1, 2, 3, 4, 5, 1, 6, 7):
        names.tell(id_, "", set)
    assert sorted(names) == [1, 6, 7]


def test_a_name_is_told_again_before_it_may_be_forgotten() -> None:
    assert SPARE_NAMES > MOST_NAMES
