"""Whether the code of a process can be sampled."""

from __future__ import annotations

from collections.abc import Iterator

from profiles.cpu.facts import our_rights, target_facts
from profiles.cpu.rights import refusal
from radixtop.check import Finding, Status, Subject
from radixtop.target import Target


def check(subject: Subject) -> Iterator[Finding]:
    """Say whether anything speaks against `radixtop profile cpu` on the process."""
    target = subject.target
    assert isinstance(target, Target), f"{target=}"
    facts = target_facts(target.pid)
    if facts is None:
        return
    refused = refusal(our_rights(), facts)
    if refused is None:
        yield Finding(Status.OK, "sampling", f"radixtop profile cpu {target.pid} may look into it")
    else:
        yield Finding(Status.WARN, "sampling", refused.message, refused.hint)
