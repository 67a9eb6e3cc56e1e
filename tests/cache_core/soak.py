"""The long random run of the cache against the naive model: python tests/cache_core/soak.py --steps 200000."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.random_walk import walk_all
from tests.support.setups import SETUPS, TOGETHER

KINDS = {"all": [*SETUPS, *TOGETHER], "plain": SETUPS, "together": TOGETHER}


def main() -> None:
    """Run and print how many steps were taken and what they covered."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--setups", choices=KINDS, default="all", help="configurations to go round")
    options = parser.parse_args()
    began = time.monotonic()
    walked = walk_all(KINDS[options.setups], options.seed, options.steps)
    took = time.monotonic() - began
    print(f"{walked.steps} steps agreed in {took:.0f} s, {walked.steps / took:.0f} a second")
    for what, count in walked.seen.most_common():
        print(f"{count:9,} {what}")


if __name__ == "__main__":
    main()
