"""Where requests are in their life, and how long they wait."""

from __future__ import annotations

from probes.builtin.requests import RequestsSample
from profiles.metric import WAIT_DIGITS, each, one, read_off

_OUTCOMES = ("finished", "retracted", "refused")

METRICS = (
    read_off(
        RequestsSample,
        "radixtop_requests_waiting",
        "Requests that wait for admission now.",
        lambda sample: one(sample.waiting),
    ),
    read_off(
        RequestsSample,
        "radixtop_requests_running",
        "Requests that run now.",
        lambda sample: one(sample.running),
    ),
    read_off(
        RequestsSample,
        "radixtop_requests_admitted_total",
        "Admissions, those after a retraction among them.",
        lambda sample: one(sample.admitted),
    ),
    read_off(
        RequestsSample,
        "radixtop_requests_total",
        "Requests by how they ended: finished, retracted (which may come back), refused (which fit no pool).",
        lambda sample: each({name: getattr(sample, name) for name in _OUTCOMES}),
        ("outcome",),
    ),
    read_off(
        RequestsSample,
        "radixtop_queue_time_seconds",
        "Time from queueing to admission, of each time that a request waited.",
        lambda sample: one(sample.queued),
        digits=WAIT_DIGITS,
    ),
    read_off(
        RequestsSample,
        "radixtop_time_to_first_token_seconds",
        "Time from queueing to the first output token.",
        lambda sample: one(sample.ttft),
        digits=WAIT_DIGITS,
    ),
    read_off(
        RequestsSample,
        "radixtop_schedule_passes_total",
        "Times that the waiting requests were put in order.",
        lambda sample: one(sample.schedule_passes),
    ),
    read_off(
        RequestsSample,
        "radixtop_schedule_deferrals_total",
        "Requests put off in such a pass, to wait for what others are about to store.",
        lambda sample: one(sample.deferrals),
    ),
    read_off(
        RequestsSample,
        "radixtop_schedule_fallbacks_total",
        "Passes that gave way to first come, first served, for too many waited.",
        lambda sample: one(sample.fallbacks),
    ),
)
