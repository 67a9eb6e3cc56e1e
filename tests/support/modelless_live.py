"""`python -m tests.support.modelless_live live ...`: radixtop, whose live runs are served without a model."""

from __future__ import annotations

import sys

from radixtop import cli
from radixtop.serving import child

if __name__ == "__main__":
    child.WORKER = "tests.support.modelless_worker"
    sys.exit(cli.main())
