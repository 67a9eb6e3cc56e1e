"""From facts to words: who may sample whom, and what to do about it."""

from __future__ import annotations

import os
import sys

import pytest

from profiles.cpu.facts import CAP_SYS_PTRACE, OurRights, TargetFacts, our_rights, target_facts
from profiles.cpu.plan import MOST_THREADS
from profiles.cpu.rights import refusal, refusal_of_platform, refusal_to_stop

PTRACE = 1 << CAP_SYS_PTRACE
USER = OurRights("linux", uid=1000)
ROOT = OurRights("linux", uid=0, capabilities=PTRACE)
IN_CONTAINER = OurRights("linux", uid=0, in_container=True)
OWN = TargetFacts(42, (1000, 1000, 1000), name="python")
OF_ROOT = TargetFacts(42, (0, 0, 0), name="python")


@pytest.mark.parametrize(
    ("ours", "target"),
    [
        (USER, OWN),
        (OurRights("linux", 1000, ptrace_scope=0), OWN),
        (OurRights("linux", 1000, PTRACE, ptrace_scope=2), OF_ROOT),
        (ROOT, OWN),
        (ROOT, TargetFacts(42, (1000, 1000, 1000), is_dumpable=False)),
        (OurRights("darwin", uid=0), OWN),
        (OurRights("win32", uid=0), OWN),
    ],
)
def test_nothing_is_said_where_nothing_forbids_it(ours: OurRights, target: TargetFacts) -> None:
    assert refusal(ours, target) is None


@pytest.mark.parametrize(
    ("ours", "target", "said", "hint"),
    [
        (USER, OF_ROOT, "process 42 (python) belongs to user 0 and this is user 1000", "sudo"),
        (USER, TargetFacts(42, (1000, 1000, 0)), "belongs to user 0", "sudo"),
        (USER, TargetFacts(42, OWN.uids, is_dumpable=False), "cannot be dumped", "sudo"),
        (USER, TargetFacts(42, OWN.uids, capabilities=1), "has capabilities", "sudo"),
        (OurRights("linux", 1000, ptrace_scope=1), OWN, "ptrace_scope is 1", "profile cpu -- COMMAND"),
        (OurRights("linux", 1000, ptrace_scope=2), OWN, "ptrace_scope is 2", "sudo"),
        (OurRights("linux", 0, PTRACE, ptrace_scope=3), OF_ROOT, "ptrace_scope is 3", "another machine"),
        (IN_CONTAINER, TargetFacts(42, (0, 0, 0), capabilities=1), "has capabilities", "--cap-add SYS_PTRACE"),
        (IN_CONTAINER, OWN, "belongs to user 1000", "securityContext.capabilities.add: [SYS_PTRACE]"),
        (OurRights("darwin", uid=501), OWN, "macOS lets only root", "sudo"),
    ],
)
def test_what_forbids_it_is_named_with_what_to_do(ours: OurRights, target: TargetFacts, said: str, hint: str) -> None:
    error = refusal(ours, target)
    assert error is not None
    assert said in error.message
    assert hint in error.hint


def test_on_macos_a_command_needs_root_as_well() -> None:
    assert refusal_of_platform(OurRights("darwin", uid=501)) is not None
    assert refusal_of_platform(OurRights("linux", uid=501, ptrace_scope=2)) is None


def test_a_process_of_many_threads_is_not_stopped() -> None:
    assert refusal_to_stop(TargetFacts(42, threads=MOST_THREADS)) is None
    error = refusal_to_stop(TargetFacts(42, threads=MOST_THREADS + 1))
    assert error is not None
    assert "21 threads" in error.message
    assert "--force" in error.hint


def test_the_facts_of_this_process_are_true() -> None:
    facts = target_facts(os.getpid())
    assert facts is not None
    assert set(facts.uids) == {os.getuid()}
    assert facts.threads >= 1
    assert our_rights().platform == sys.platform


def test_there_are_no_facts_of_what_does_not_run() -> None:
    assert target_facts((1 << 22) + 1) is None
