"""The program that replays what was recorded, to measure what the change of a finding gives.

    python -m radixtop.why.replayer NAME

A job is one line: the `recording`, `until` when it is read, the `settings` to change, and the hit rate `before`, null
where that has to be measured. It tells how many requests are to be served in all, and how far it is; what it comes
to is the rates before and after, and how that was measured.
"""

from __future__ import annotations

import json
import os
import sys
from math import inf

from probes.errors import RecordingError
from profiles.plain import json_text
from profiles.profile import RecordedProfile
from radixtop.compare.worker import Teller, main
from radixtop.why.what_if import LEAST_REQUESTS, gain_of, load_of, serve

NICENESS = 10
"""Whoever serves requests on this machine comes first."""


def measure(job: str, teller: Teller) -> str:
    """Replay a recording with a change, and before that without it unless told what that gives.

    Raises RecordingError where that cannot be, ConfigError for settings that no cache can have.
    """
    wanted = json.loads(job)
    before, until = wanted["before"], wanted["until"]
    with RecordedProfile(wanted["recording"], inf if until is None else until) as profile:
        load = load_of(profile)
    if len(load.requests) < LEAST_REQUESTS:
        raise RecordingError(f"fewer than {LEAST_REQUESTS} requests were recorded", "wait for more of them")
    changed = load.settings.changed(**dict(wanted["settings"]))
    served = 0
    teller.say(of=len(load.requests) * (1 if before is not None else 2))
    if before is None:
        unchanged = serve(load.requests, load.settings, progress=lambda so_far: teller.requests(so_far.requests))
        load.check(unchanged)
        served, before = unchanged.finished + unchanged.refused, unchanged.hit_rate
    after = serve(load.requests, changed, progress=lambda so_far: teller.requests(served + so_far.requests))
    gain = gain_of(before, after)
    return json_text({"before": gain.before, "after": gain.after, "by": gain.by})


if __name__ == "__main__":
    os.nice(NICENESS)
    main(sys.argv[1], measure)
