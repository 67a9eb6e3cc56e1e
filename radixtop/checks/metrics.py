"""Whether a server's metrics can be read."""

from __future__ import annotations

from collections.abc import Iterator

from probes.engines.errors import (
    EngineError,
    SlowAnswerError,
    UnknownPathError,
    UnreachableError,
    UntrustedError,
    WrongProtocolError,
)
from probes.engines.http import HttpClient
from probes.plural import plural
from probes.scrapes.metric import ENGINES
from radixtop.check import Finding, Status, Subject
from radixtop.engine_target import EngineTarget

_OF_THE_SERVER = (UnreachableError, UntrustedError, WrongProtocolError)
"""What is wrong with the way to the server, of which its own check tells."""


def check(subject: Subject) -> Iterator[Finding]:
    """Read the page of metrics once and say what is on it."""
    target = subject.target
    assert isinstance(target, EngineTarget), f"{target=}"
    try:
        page = HttpClient(target.address, subject.access, subject.deadline).text("/metrics")
    except UnknownPathError:
        says = f"{target.address}/metrics is not there"
        yield Finding(Status.MISSING, "metrics", says, ENGINES.load(target.engine).absent)
    except EngineError as error:
        if not isinstance(error, _OF_THE_SERVER) or isinstance(error, SlowAnswerError):
            yield Finding(Status.MISSING, "metrics", error.message, error.hint)
    else:
        yield finding_of(page, target)


def finding_of(page: str, target: EngineTarget) -> Finding:
    """Return what a page of metrics means for watching."""
    where = f"{target.address}/metrics"
    samples = {engine: _samples_of(engine, page) for engine in ENGINES}
    if told := samples[target.engine]:
        return Finding(Status.OK, "metrics", f"{plural(told, 'sample')} at {where}")
    for engine in filter(samples.get, samples):
        return Finding(Status.MISSING, "metrics", f"{where} is the page of {engine}", f"name it {engine}://HOST:PORT")
    says = f"{where} has none of {target.engine}"
    return Finding(Status.MISSING, "metrics", says, ENGINES.load(target.engine).absent)


def _samples_of(engine: str, page: str) -> int:
    return sum(line.startswith((f"{engine}:", f"{engine}_")) for line in page.splitlines())
