"""The adapter of a live run: the ring of a worker process that this process started and ends."""

from __future__ import annotations

from dataclasses import replace

from probes.adapter import Adapter, Batch
from probes.adapters.shm import BlockBatch, ShmAdapter
from probes.snapshot import SourceState
from radixtop.errors import RadixtopError
from radixtop.serving.child import EngineChild, Turn
from radixtop.serving.run_config import RunConfig

_WORDS = {
    "starting": "starting the engine",
    "serving": "",
    "finished": "idle: the workload is served",
    "ended": "",
    "failed": "",
}


class ChildAdapter(Adapter):
    """Starts the worker at the first poll, joins its ring once it has one, and keeps what it has when it dies.

    `turn` is the latest turn of the worker's life, `death` why it is gone, None while it lives,
    `interrupted` whether it was asked to go.
    """

    provides = ShmAdapter.provides

    def __init__(self, run: RunConfig) -> None:
        self.turn = Turn("starting")
        self.death: RadixtopError | None = None
        self.interrupted = False
        self._run = run
        self._child: EngineChild | None = None
        self._ring: ShmAdapter | None = None

    def poll(self) -> Batch:
        """Return what the ring has; nothing while there is no ring."""
        batch = self.poll_blocks()
        return Batch([numbered for block in batch.blocks for numbered in block.records()], batch.resync)

    def poll_blocks(self) -> BlockBatch:
        """Do what `poll` does for a reader that takes whole blocks."""
        if self._child is None:
            self._child = EngineChild(self._run)
        if self.death is None:
            self.death = self._child.death()
        self.turn = self._child.listen()
        if self._ring is None and self.death is None and "ring" in self.turn.details:
            self._ring = ShmAdapter(self._child.pid)
        return BlockBatch() if self._ring is None else self._ring.poll_blocks()

    def state(self) -> SourceState:
        """Return the ring's state, overruled by what is known of the process behind it."""
        name = f"live {self._run.workload}"
        state = SourceState(name, "starting") if self._ring is None else replace(self._ring.state(), name=name)
        if self.death is not None:
            return replace(state, state="lost", message=str(self.death))
        return replace(state, message=state.message or _WORDS[self.turn.name])

    def interrupt(self) -> None:
        """Ask the worker to stop serving and to say what the run came to."""
        self.interrupted = True
        if self._child is not None:
            self._child.interrupt()

    def close(self) -> None:
        """End the worker, hear its last words, and let go of its ring."""
        if self._child is not None:
            self._child.close()
            self.turn = self._child.turn
        if self._ring is not None:
            self._ring.close()
