"""What our probes cost SGLang's own cache: the same requests plainly, with probes, and with the tree besides."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cache_core.bench.side import Peer
from cache_core.bench.table import table
from profiles.plain import json_text
from radixtop.bench.figures import narrate
from radixtop.errors import RadixtopError, UsageError

CORES = ("rust", "python")
PAGES = (64, 1)
PACKAGES = ("cache_core", "probes", "radixtop")
TIMEOUT_S = 600

_STEPS = {
    "match": "match and lock",
    "room": "evict and allocate",
    "write_back": "write back",
    "finish": "end",
    "request": "a whole request",
}

Json = dict[str, Any]


def run(peer: str, requests: int, runs: int, as_json: bool) -> None:
    """Measure and write to stdout. Raises RadixtopError when the peer cannot be measured."""
    try:
        named = Peer.parse(peer)
    except ValueError as error:
        raise UsageError(str(error)) from None
    narrate(f"{named.name}: {requests} requests, {runs} times, of {len(CORES) * len(PAGES)} caches in three ways")
    found = measure(named, {"cores": CORES, "pages": PAGES, "requests": requests, "runs": runs})
    sys.stdout.write((json_text(found, indent=1) if as_json else text(found)) + "\n")


def measure(peer: Peer, order: Json) -> Json:
    """Have a peer's interpreter measure, which imports nothing of what is installed beside us."""
    with tempfile.TemporaryDirectory() as place:
        for package in PACKAGES:
            (Path(place) / package).symlink_to(Path(__file__).parents[2] / package, target_is_directory=True)
        path = os.pathsep.join(filter(None, (peer.folder, place)))
        try:
            ran = subprocess.run(
                [peer.python, "-P", "-m", "radixtop.bench.inside_peer"],
                input=json.dumps(order), capture_output=True, text=True, timeout=TIMEOUT_S,
                env={**os.environ, "PYTHONPATH": path, "RADIXTOP_PROBE": ""},
            )  # fmt: skip
        except OSError as error:
            raise RadixtopError(
                f"{peer.python} cannot be run: {error.strerror}", "name a Python interpreter"
            ) from None
        except subprocess.TimeoutExpired:
            raise RadixtopError(f"{peer.name} did not end within {TIMEOUT_S} s", "ask for fewer --requests") from None
    last = (ran.stdout.strip().splitlines() or [""])[-1]
    if ran.returncode or not last.startswith("{"):
        said = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise RadixtopError(
            f"{peer.name} ended with {ran.returncode}: {said}", "it needs torch, numpy and sglang 0.5.20 or 0.5.23"
        )
    return json.loads(last)  # type: ignore[no-any-return]


def text(found: Json) -> str:
    """Return a row for each step of each cache: plainly, and how many times as much that is with probes."""
    head = [f"SGLang {found['version']}, thread time a request", "plain", "probes", "with the tree", "", ""]
    return table(head, [*_rows(found["us_per_request"])])


def _rows(figures: Json) -> Iterator[list[str]]:
    for where, modes in figures.items():
        plain = modes["plain"]
        for step, name in _STEPS.items():
            told = [modes[mode][step] for mode in ("plain", "probes", "tree")]
            ratios = [f"x{us / max(plain[step], 1e-9):.2f}" for us in told[1:]]
            yield [f"{where}: {name}", *(f"{us:,.0f} us" for us in told), *ratios]
