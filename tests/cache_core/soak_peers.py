"""The long comparison with SGLang's own caches, run by hand.

    RADIXTOP_PEERS=sglang23=venv/bin/python:sglang-0.5.23 python tests/cache_core/soak_peers.py --seed 1 --logs 500

Prints each difference with the seed that shows it, and how much was compared; exits 1 on any.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.support.peers import (
    VARIABLE,
    comparable,
    first_difference,
    named_peers,
    open_sides,
    version_of,
    written,
)


def main() -> int:
    """Compare the logs of some seeds on every peer."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--logs", type=int, default=100, help="how many seeds")
    parser.add_argument("--operations", type=int, default=120, help="operations of one log")
    options = parser.parse_args()
    if not named_peers():
        parser.error(f"{VARIABLE} names no peer")
    compared: Counter[str] = Counter()
    differences = 0
    with ExitStack() as stack:
        sides = list(open_sides(stack))
        for seed in range(options.seed, options.seed + options.logs):
            log = written(seed, options.operations)
            for side in (side for side in sides if comparable(log, version_of(side))):
                found = first_difference(side, log)
                compared[side.name] += len(log["ops"])
                if found is not None:
                    differences += 1
                    print(f"seed {seed}, {side.name}: {found}", flush=True)
    for name, operations in compared.items():
        print(f"{name}: {operations} operations compared")
    print(f"seeds {options.seed} to {options.seed + options.logs - 1}: {differences} differences")
    return int(differences > 0)


if __name__ == "__main__":
    sys.exit(main())
