"""Whether a server's metrics can be read."""

from __future__ import annotations

from probes.engines.errors import EngineError, UnknownPathError
from probes.engines.http import HttpClient
from radixtop.check import Finding, Status
from radixtop.engine_target import EngineTarget

SWITCH_ON = {"sglang": "start it with --enable-metrics", "vllm": "start it without --disable-log-stats"}


def metrics_finding(target: EngineTarget, client: HttpClient) -> Finding:
    """Read the page of metrics once and say what is on it."""
    try:
        page = client.text("/metrics")
    except UnknownPathError:
        says = f"{target.address}/metrics is not there"
        return Finding(Status.MISSING, "metrics", says, SWITCH_ON[target.engine])
    except EngineError as error:
        return Finding(Status.MISSING, "metrics", error.message, error.hint)
    return finding_of(page, target)


def finding_of(page: str, target: EngineTarget) -> Finding:
    """Return what a page of metrics means for watching."""
    prefixes = (f"{target.engine}:", f"{target.engine}_")
    samples = sum(line.startswith(prefixes) for line in page.splitlines())
    if not samples:
        says = f"{target.address}/metrics has none of {target.engine}"
        return Finding(Status.MISSING, "metrics", says, SWITCH_ON[target.engine])
    return Finding(Status.OK, "metrics", f"{samples} samples at {target.address}/metrics")
