"""Whether a server's metrics can be read."""

from __future__ import annotations

from collections.abc import Iterator

from probes.engines.errors import EngineError, UnknownPathError, UnreachableError
from probes.engines.http import HttpClient
from radixtop.check import Finding, Status, Subject
from radixtop.engine_target import EngineTarget

SWITCH_ON = {"sglang": "start it with --enable-metrics", "vllm": "start it without --disable-log-stats"}


def check(subject: Subject) -> Iterator[Finding]:
    """Read the page of metrics once."""
    target = subject.target
    assert isinstance(target, EngineTarget), f"{target=}"
    try:
        page = HttpClient(target.address, subject.access, subject.deadline).text("/metrics")
    except UnknownPathError:
        yield Finding(Status.MISSING, "metrics", f"{target.address}/metrics is not there", SWITCH_ON[target.engine])
    except UnreachableError:
        return  # which the server's own check tells
    except EngineError as error:
        yield Finding(Status.MISSING, "metrics", error.message, error.hint)
    else:
        yield finding_of(page, target)


def finding_of(page: str, target: EngineTarget) -> Finding:
    """Return what a page of metrics means for watching."""
    prefixes = (f"{target.engine}:", f"{target.engine}_")
    samples = sum(line.startswith(prefixes) for line in page.splitlines())
    if not samples:
        says = f"{target.address}/metrics has none of {target.engine}"
        return Finding(Status.MISSING, "metrics", says, SWITCH_ON[target.engine])
    return Finding(Status.OK, "metrics", f"{samples} samples at {target.address}/metrics")
