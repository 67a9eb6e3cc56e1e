"""A small trace on disk, in the format of Mooncake: conversations that grow, over prefixes that some share."""

from __future__ import annotations

import json
import random
from pathlib import Path

BLOCK = 512


def write_trace(path: Path, requests: int = 60, seed: int = 1) -> Path:
    """Write so many requests; the same seed makes the same file."""
    draw = random.Random(seed)
    fresh = iter(range(10, 1 << 20))
    paths = [[prompt, next(fresh)] for prompt in (1, 2, 3)]
    lines = []
    for number in range(requests):
        grown = list(draw.choice(paths)) if draw.random() < 0.8 else [draw.choice((1, 2, 3))]
        grown.append(next(fresh))
        paths.append(grown)
        tokens = BLOCK * (len(grown) - 1) + draw.randrange(1, BLOCK)
        line = {"timestamp": number * 50, "input_length": tokens, "output_length": 8, "hash_ids": grown}
        lines.append(json.dumps(line))
    path.write_text("\n".join(lines) + "\n")
    return path
