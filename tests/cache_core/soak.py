"""The long random run of the cache against the naive model: python tests/cache_core/soak.py --steps 200000."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.random_walk import walk_all


def main() -> None:
    """Run and print how many steps were taken and what they covered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    walked = walk_all(options.seed, options.steps)
    print(f"{walked.steps} steps agreed in {time.monotonic() - began:.0f} s")
    for what, count in walked.seen.most_common():
        print(f"{count:9,} {what}")


if __name__ == "__main__":
    main()
