"""Jobs of tests on a local Ray of two workers, in a process of its own: `python -m tests.support.ray_sweep KIND...`.

Prints what became of them as JSON, and at which addresses Ray listened meanwhile.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from radixtop.compare import job
from radixtop.compare.engine import Step
from radixtop.compare.engines.ray import RayEngine, answer
from tests.support.sweep_jobs import JOBS


def answer_tests(text: str, trace: bytes) -> str:
    """Carry out a job of tests."""
    job.JOBS = JOBS
    return answer(text, trace)


class Engine(RayEngine):
    """A Ray engine whose tasks know the jobs of tests."""

    task = staticmethod(answer_tests)


def listening() -> set[str]:
    """Return the addresses, in hexadecimal, at which processes below this one listen, as /proc tells them."""
    sockets: set[str] = set()
    for pid in (each for each in os.listdir("/proc") if each.isdigit()):
        try:
            if b"ray" in Path(f"/proc/{pid}/cmdline").read_bytes():
                sockets |= {os.readlink(link) for link in Path(f"/proc/{pid}/fd").iterdir()}
        except OSError:
            continue  # it has ended meanwhile, or is another user's
    found: set[str] = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                found.add(fields[1].partition(":")[0])
    return found


def main(path: str, kinds: list[str]) -> None:
    """Run a job of each kind over the file at `path`."""
    addresses: set[str] = set()

    def look(step: Step) -> None:
        addresses.update(listening())

    jobs = [json.dumps({"kind": kind, "path": path, "numbers": [number]}) for number, kind in enumerate(kinds)]
    outcomes = [[each.result, each.failure] for each in Engine(2).outcomes(jobs, look)]
    print(json.dumps({"outcomes": outcomes, "addresses": sorted(addresses)}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
