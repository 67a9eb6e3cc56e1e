"""Workers of a Ray cluster, or of a Ray started for the sweep on this machine: the extra `ray`.

Jobs travel as text, and so does what they come to. The trace travels as bytes: no node needs to
have the file, but radixtop, and the same version of it.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from radixtop.compare.engine import Outcome, Step, SweepEngine
from radixtop.compare.job import carry_out
from radixtop.errors import RadixtopError, exit_code_of, message_of

_TURN_S = 0.25


class RayEngine(SweepEngine):
    """Carries out each job as a task of one core, `workers` of them at a time."""

    task: ClassVar[Callable[[str, bytes], str]]
    """What a task does with a job and the bytes of its trace."""

    def require(self) -> None:
        """See SweepEngine."""
        if find_spec("ray") is None:
            raise RadixtopError("--engine ray needs Ray, which is not installed", "pip install 'radixtop[ray]'")

    def outcomes(self, jobs: Sequence[str], told: Callable[[Step], None]) -> list[Outcome]:
        """See SweepEngine. A job that runs tells nothing before its end."""
        self.require()
        with _cluster(self.workers, self.address) as ray:
            carry_out_there = ray.remote(num_cpus=1, max_retries=0)(type(self).task)
            files = {path: ray.put(path.read_bytes()) for path in {_path_of(job) for job in jobs}}
            waiting = list(enumerate(jobs))
            waiting.reverse()
            running: dict[Any, int] = {}
            outcomes: dict[int, Outcome] = {}
            while waiting or running:
                while waiting and len(running) < self.workers:
                    number, job = waiting.pop()
                    running[carry_out_there.remote(job, files[_path_of(job)])] = number
                over, _ = ray.wait(list(running), timeout=_TURN_S)
                for task in over:
                    number = running.pop(task)
                    outcomes[number] = _outcome(ray, task)
                    told(Step(number, 0, is_over=True))
        return [outcomes[number] for number in range(len(jobs))]


def answer(job: str, trace: bytes) -> str:
    """Carry out a job where the trace is not, and return its result or its failure as JSON: what a task does."""
    document = json.loads(job)
    try:
        with tempfile.TemporaryDirectory(prefix="radixtop-") as folder:
            path = Path(folder, Path(document["path"]).name)
            path.write_bytes(trace)
            result = carry_out(json.dumps({**document, "path": str(path)}), lambda requests: None)
            return json.dumps({"result": result})
    except MemoryError:
        return json.dumps({"failure": "it takes more memory than there is"})
    except Exception as error:
        if exit_code_of(error) is None:
            raise
        return json.dumps({"failure": ": ".join(part for part in message_of(error) if part)})


RayEngine.task = staticmethod(answer)


def _path_of(job: str) -> Path:
    return Path(json.loads(job)["path"])


def _outcome(ray: Any, task: Any) -> Outcome:
    """Return what became of a task that is over."""
    try:
        said: Mapping[str, str] = json.loads(ray.get(task))
    except ray.exceptions.OutOfMemoryError:
        return Outcome(None, "Ray ended it, for its node runs out of memory")
    except ray.exceptions.RayTaskError as error:
        return Outcome(None, f"{type(error.cause).__name__}: {error.cause}")
    except ray.exceptions.RayError as error:
        return Outcome(None, f"its process is gone: {str(error).strip().splitlines()[0]}")
    return Outcome(said.get("result"), said.get("failure", ""))


@contextmanager
def _cluster(workers: int, address: str | None) -> Iterator[Any]:
    """Yield Ray, connected to the cluster at an address or to one started here, which is ended again."""
    given: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would call home
    if address is None and "RAY_ADDRESS" not in os.environ:
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"  # what makes it listen on this machine alone
        path = os.pathsep.join(folder for folder in sys.path if folder)
        given |= {"num_cpus": workers, "include_dashboard": False, "runtime_env": {"env_vars": {"PYTHONPATH": path}}}
    import ray

    try:
        ray.init(address=address, **given)
    except (OSError, RuntimeError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise RadixtopError(f"no Ray at {address or 'this machine'}: {reason}", "see `ray status`") from None
    try:
        yield ray
    finally:
        ray.shutdown()
