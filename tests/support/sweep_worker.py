"""A worker of a sweep whose jobs are those of `tests.support.sweep_jobs`."""

from __future__ import annotations

import sys

from radixtop.compare import job, worker
from tests.support.sweep_jobs import JOBS

if __name__ == "__main__":
    job.JOBS = JOBS
    worker.main(sys.argv[1])
