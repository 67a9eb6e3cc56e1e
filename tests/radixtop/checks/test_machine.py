"""What facts about this machine mean: rights, memory, torch, GPUs."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import pytest

from profiles.cpu.facts import CAP_SYS_PTRACE, OurRights
from radixtop.check import Status
from radixtop.checks import gpu, pyspy, shared_memory, torch


@pytest.mark.parametrize(
    ("scope", "may", "status", "said"),
    [
        (None, False, Status.OK, "of this user"),
        (0, False, Status.OK, "of this user"),
        (1, False, Status.WARN, "only a parent"),
        (1, True, Status.OK, "any process"),
        (2, False, Status.WARN, "only root"),
        (3, True, Status.MISSING, "nobody"),
    ],
)
def test_rights_to_sample(scope: int | None, may: bool, status: Status, said: str) -> None:
    finding = pyspy.finding_of(OurRights("linux", 1000, may << CAP_SYS_PTRACE, scope))
    assert finding.status is status
    assert said in finding.says
    assert (f"ptrace_scope is {scope}" in finding.says) is (scope is not None)


def test_in_a_container_the_capability_is_named() -> None:
    assert "SYS_PTRACE" in pyspy.finding_of(OurRights("linux", 0, 0, 2, in_container=True)).hint


@pytest.mark.parametrize(("mib", "status"), [(10, Status.WARN), (64, Status.OK)])
def test_room_for_a_ring(mib: int, status: Status) -> None:
    assert shared_memory.finding_of(Path("/dev/shm"), mib * 2**20).status is status


@pytest.mark.parametrize(
    ("text", "cuda"),
    [
        ("__version__ = '2.9.0'\ncuda: Optional[str] = '12.8'\nhip: Optional[str] = None\n", "12.8"),
        ("cuda = '11.8'\n", "11.8"),
        ("cuda: Optional[str] = None\n", None),
        ("", None),
    ],
)
def test_torch_says_what_it_was_built_for(text: str, cuda: str | None) -> None:
    assert torch.cuda_in(text) == cuda


class FakeNvml:
    """The library of a driver that knows some GPUs."""

    def __init__(self, names: list[bytes], code: int = 0) -> None:
        self.names, self.code, self.is_shut = names, code, False

    def nvmlInit_v2(self) -> int:  # noqa: N802
        return self.code

    def nvmlShutdown(self) -> int:  # noqa: N802
        self.is_shut = True
        return 0

    def nvmlDeviceGetCount_v2(self, count: Any) -> int:  # noqa: N802
        count._obj.value = len(self.names)
        return 0

    def nvmlDeviceGetHandleByIndex_v2(self, number: ctypes.c_uint, device: Any) -> int:  # noqa: N802
        device._obj.value = number.value + 1
        return 0

    def nvmlDeviceGetName(self, device: ctypes.c_void_p, name: Any, size: ctypes.c_uint) -> int:  # noqa: N802
        name.value = self.names[(device.value or 0) - 1]
        return 0

    def nvmlSystemGetDriverVersion(self, version: Any, size: ctypes.c_uint) -> int:  # noqa: N802
        version.value = b"570.1"
        return 0


def test_gpus_are_counted_by_name() -> None:
    nvml = FakeNvml([b"NVIDIA H200", b"NVIDIA H200", b"NVIDIA L4"])
    (finding,) = gpu.findings_of(lambda: nvml)
    assert finding.says == "2 x NVIDIA H200, 1 x NVIDIA L4, driver 570.1"
    assert nvml.is_shut


@pytest.mark.parametrize(("code", "said"), [(9, "no driver is loaded"), (18, "does not fit"), (999, "error 999")])
def test_a_driver_that_does_not_work_says_why(code: int, said: str) -> None:
    (finding,) = gpu.findings_of(lambda: FakeNvml([], code))
    assert finding.status is Status.MISSING
    assert said in finding.says


def test_no_library_and_no_gpu_are_told_apart() -> None:
    def absent() -> Any:
        raise OSError

    (without,) = gpu.findings_of(absent)
    (blind,) = gpu.findings_of(lambda: FakeNvml([]))
    assert "no NVML" in without.says
    assert "sees no GPU" in blind.says
