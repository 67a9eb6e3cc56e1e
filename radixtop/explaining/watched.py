"""A request of a cache that runs: watched until it ends, or for some seconds."""

from __future__ import annotations

import time

from probes.builtin.request_log import RequestLogSample
from probes.snapshot import number_of
from radixtop.explaining.explained import Explained, Met, explained
from radixtop.session import Session

_TICK_S = 0.1


def explain_watched(request: int, session: Session, target: str, wait_s: float) -> Explained:
    """Return a request of what is watched, once it ended or `wait_s` are over, and close the session.

    Who comes late knows the requests that it has seen something of. Raises RadixtopError for any other.
    """
    try:
        until = time.monotonic() + wait_s
        while True:
            snapshot = session.tick(time.perf_counter_ns())
            sample = snapshot.get(RequestLogSample)
            life = None if sample is None else sample.log.find(request)
            is_over = (life is not None and sample is not None and request not in sample.log.alive) or (
                time.monotonic() >= until or session.is_over(snapshot)
            )
            if is_over:
                break
            time.sleep(_TICK_S)
        if life is None or sample is None:
            met = Met()
            for each in () if sample is None else sample.log.lives():
                met.note(each.request)
            raise met.refusal(request, target)
        page_tokens = number_of(snapshot.source.config, "page_size") or 1
        return explained(life, sample.log, session.mirror, snapshot.now, page_tokens)
    finally:
        session.close()
