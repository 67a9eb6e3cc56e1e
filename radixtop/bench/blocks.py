"""What following KV events costs, in a large cache and in one a tenth of its size, and what it costs RadixView."""

from __future__ import annotations

import json
import struct
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from probes.bench.blocks import BlockFigures, measure
from probes.bench.event_load import TURN_BLOCKS, batches
from radixtop.bench.figures import narrate
from radixtop.errors import RadixtopError

CHURN_BLOCKS = 60_000
_PATIENCE_S = 600


@dataclass(frozen=True, slots=True)
class PeerFigures:
    """What a block costs RadixView: to be followed, in memory, and its view of all of them after one change."""

    blocks: int
    ns_follow: float
    ns_view: float
    bytes_per_block: float


@dataclass(frozen=True, slots=True)
class Blocks:
    """Both sizes, and the peer at the larger one, where there is one."""

    small: BlockFigures
    large: BlockFigures
    radixview: PeerFigures | None = None

    def describe(self) -> dict[str, object]:
        """Return the figures by name, for a document."""
        names = ("ns_decode", "ns_count", "ns_tree", "ns_mirror", "bytes_per_block")
        growth = {name: getattr(self.large, name) / getattr(self.small, name) for name in names}
        return {**asdict(self), "growth": growth}


def follow(blocks: int, peer: str | None) -> Blocks:
    """Measure both sizes, and RadixView in an interpreter that has it. Raises RadixtopError when it has not."""
    narrate(f"{blocks // 10:,} and {blocks:,} blocks of KV events")
    small, large = measure(blocks // 10, CHURN_BLOCKS), measure(blocks, CHURN_BLOCKS)
    if peer is None:
        return Blocks(small, large)
    narrate(f"RadixView on {blocks:,} blocks")
    return Blocks(small, large, of_radixview(peer, blocks, CHURN_BLOCKS))


def of_radixview(python: str, blocks: int, churn: int) -> PeerFigures:
    """Return what RadixView takes for the same payloads. Raises RadixtopError when it does not run."""
    script = Path(__file__).with_name("radixview_peer.py")
    with tempfile.NamedTemporaryFile(suffix=".payloads") as file:
        for payload in batches(blocks, churn):
            file.write(struct.pack(">I", len(payload)) + payload)
        file.flush()
        command = [python, str(script), file.name, str(blocks // TURN_BLOCKS)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            said = (getattr(error, "stderr", "") or str(error)).strip().splitlines()[-1:]
            hint = "it must have radixview 0.1.0: PYTHON -m pip install radixview==0.1.0"
            raise RadixtopError(f"RadixView does not run in {python}: {' '.join(said)}", hint) from None
    told = json.loads(done.stdout)
    changed = 2 * (churn // TURN_BLOCKS) * TURN_BLOCKS
    return PeerFigures(told["blocks"], told["ns_follow"] / changed, told["ns_view"], told["bytes_per_block"])
