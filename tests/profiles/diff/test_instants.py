"""Runs that are compared: each keeps its own names, whatever the other calls the same numbers."""

from __future__ import annotations

from profiles.diff.difference import compare
from profiles.diff.instants import forests_of
from tests.support.listed_profile import ListedProfile
from tests.support.tree_script import Script


def one_prompt(tokens: str, name: str, namespace: str = "") -> ListedProfile:
    """A run with one prompt of one segment; equal numbers of nodes and namespaces mean something else in each."""
    script = Script(namespace=namespace)
    script.insert(tokens, ((0, name),))
    return ListedProfile(script.records)


def test_what_is_gone_keeps_the_name_that_the_older_run_knows() -> None:
    before, after = forests_of([one_prompt("aaaa", "question 1"), one_prompt("bbbb", "question 2")])
    labels = {row.label.partition(" ·")[0]: row.own[0].status for row in compare(before, after).rows(None)}
    assert labels == {"question 1": "gone", "question 2": "new"}


def test_what_is_gone_stays_in_the_namespace_of_the_older_run() -> None:
    runs = [one_prompt("aaaa", "question 1", "adapter 1"), one_prompt("bbbb", "question 2", "adapter 2")]
    before, after = forests_of(runs)
    rows = [row for row in compare(before, after).rows(None) if row.total[0].wide]
    assert [(row.depth, row.label.partition(" ·")[0], row.total[0][:2]) for row in rows] == [
        (0, "adapter 1", (4, 0)),
        (1, "question 1", (4, 0)),
        (0, "adapter 2", (0, 4)),
        (1, "question 2", (0, 4)),
    ]
