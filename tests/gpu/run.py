"""Runs the checks that need CUDA and prints a line for each: passed, failed or not run.

    python tests/gpu/run.py [--json] [--only NAME ...] [--device cuda|cpu]

Needs Python 3.11 or newer and torch, and takes less than five minutes on one GPU. Without CUDA every check is "not
run" and the exit status is 0; `--device cpu` runs the same code on the CPU, to try a check before a GPU is at hand.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import traceback
import warnings
from importlib.util import find_spec
from pathlib import Path

# A bare machine has torch without numpy, which torch says once and nothing here needs.
warnings.filterwarnings("ignore", message="Failed to initialize NumPy")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

NAMES = (
    "logits_float32", "logits_bfloat16", "logits_recurrent", "greedy_tokens", "host_tier", "throughput", "probe_cost",
)  # fmt: skip


def missing(device: str) -> str:
    """Say what keeps the checks from running, or nothing."""
    if find_spec("torch") is None:
        return "torch is not installed"
    import torch

    return "no CUDA device" if device == "cuda" and not torch.cuda.is_available() else ""


def run_one(name: str, device: str) -> dict[str, object]:
    """Run one check and return what came of it."""
    from tests.gpu.checks import CHECKS, Bench, CheckFailedError

    on_gpu = device == "cuda"
    bench = Bench(device, ("small", "medium", "tiny")) if on_gpu else Bench(device, ("tiny",), 512, rounds=3)
    began = time.perf_counter()
    outcome: dict[str, object] = {"check": name}
    try:
        outcome |= {"state": "passed", "figures": CHECKS[name](bench)}
    except CheckFailedError as failure:
        outcome |= {"state": "failed", "reason": str(failure)}
    except Exception:  # noqa: BLE001  one broken check must not hide the others
        outcome |= {"state": "failed", "reason": traceback.format_exc()}
    return outcome | {"seconds": round(time.perf_counter() - began, 1)}


def place(device: str) -> dict[str, str]:
    """Return what the checks ran on."""
    import torch

    name = torch.cuda.get_device_name() if device == "cuda" else "cpu"
    return {"device": name, "torch": torch.__version__, "python": sys.version.split()[0]}


def show(outcome: dict[str, object]) -> None:
    """Print one outcome for people."""
    said = outcome.get("reason") or outcome.get("figures") or ""
    print(f"{outcome['state']:8} {outcome['check']:16} {outcome.get('seconds', 0):6} s  {said}", flush=True)


def main() -> int:
    """Run the chosen checks; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of lines")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    options = parser.parse_args()
    reason = missing(options.device)
    outcomes: list[dict[str, object]] = []
    for name in options.only:
        outcome = {"check": name, "state": "not run", "reason": reason} if reason else run_one(name, options.device)
        outcomes.append(outcome)
        if not options.json:
            show(outcome)
    if options.json:
        print(json.dumps({"place": {} if reason else place(options.device), "checks": outcomes}, indent=2))
    return int(any(outcome["state"] == "failed" for outcome in outcomes))


if __name__ == "__main__":
    sys.exit(main())
