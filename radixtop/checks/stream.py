"""Whether a bare stream of KV events can be had."""

from __future__ import annotations

from collections.abc import Iterator

from probes.engines.server import KVEndpoint
from radixtop.check import Finding, Subject
from radixtop.doctor.event_ports import event_findings
from radixtop.engine_target import StreamTarget


def check(subject: Subject) -> Iterator[Finding]:
    """Try the port."""
    target = subject.target
    assert isinstance(target, StreamTarget), f"{target=}"
    yield from event_findings((KVEndpoint(0, target.endpoint),), subject.deadline)
