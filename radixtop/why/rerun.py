"""One replay of what is kept of a run, in a process of its own; started, heard and ended by the polling thread."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace

from probes.readiness import readable
from probes.travel.clip import Clip
from probes.travel.footage import Footage
from profiles.finding import Gain
from radixtop.why.trial import Trial
from radixtop.worker_process import WorkerProcess

PROGRAM = "radixtop.why.replayer"


class Rerun:
    """Measures what a change gives. `before` is the hit rate without it, None where that has to be measured, too.

    What no other process can open is copied first, a slice at a time. `trial` is what is known, and `is_ready`
    whether the process was started.
    """

    def __init__(self, footage: Footage, trial: Trial, before: float | None = None) -> None:
        self.trial = trial
        self.is_ready = False
        self._before = before
        self._path = footage.path
        self._clip = Clip(footage, trial.at) if footage.path is None else None
        self._worker: WorkerProcess | None = None

    def prepare(self, may_go_on: Callable[[], bool]) -> bool:
        """Copy what is to be read as long as one may, then start; say whether it is started.

        Raises RecordingError when what is kept is gone meanwhile, OSError when there is no room for a copy.
        """
        if self._clip is not None and not self._clip.copy(may_go_on):
            return False
        shared = () if self._clip is None else (self._clip.descriptor,)
        recording = str(self._path) if self._clip is None else f"/dev/fd/{self._clip.descriptor}"
        job = {
            "recording": recording,
            "until": self.trial.at,
            "settings": self.trial.settings,
            "before": self._before,
        }
        self._worker = WorkerProcess(PROGRAM, "replay", shared)
        self._worker.give(json.dumps(job))
        self.is_ready = True
        return True

    def hear(self) -> None:
        """Take in what the process has said since; never waits."""
        worker = self._worker
        while worker is not None and not self.trial.is_over and readable([worker.descriptor], 0):
            for said in worker.hear():
                self._take(said)
            if worker.is_gone and not self.trial.is_over:
                self.trial, self._worker = replace(self.trial, trouble=worker.death()), None
                return

    def _take(self, said: Mapping[str, object]) -> None:
        if "of" in said:
            self.trial = replace(self.trial, of=int(str(said["of"])))
        elif "requests" in said:
            self.trial = replace(self.trial, served=int(str(said["requests"])))
        elif "result" in said:
            self.trial = replace(self.trial, gain=Gain(**json.loads(str(said["result"]))))
        else:
            self.trial = replace(self.trial, trouble=str(said["failure"]))

    def close(self) -> None:
        """End the process, if it runs, and forget the copy."""
        if self._worker is not None:
            self._worker.drop()
            self._worker = None
        if self._clip is not None:
            self._clip.close()
