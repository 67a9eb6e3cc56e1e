"""Copies rows between the device and the host as the cache's host tier asks for it.

A copy goes through one piece of device memory: rows are gathered from their slots into it, or scattered from it into
their slots, and between it and the host every run of neighbouring host slots is one copy.

    device pool  <- gather, scatter by slot ->  staging  <- one copy per run ->  host pool
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator
from typing import Protocol

import torch
from torch import Tensor

from cache_core.engine.device_pool import DevicePool
from cache_core.engine.host_pool import HostPool
from cache_core.engine.shape import LayerKind
from cache_core.host.transfer import Transfer


class Lane(Protocol):
    """Carries transfers out, in order."""

    def start(self, transfer: Transfer) -> None:
        """Begin a transfer. Every transfer that was started earlier happens before it."""

    def fence(self) -> None:
        """Let what is computed from now on see every load that was started. The CPU does not wait."""

    def finished(self) -> list[int]:
        """Return the ids of the transfers that ended since the last call. Does not wait."""

    def drain(self) -> None:
        """Wait until every transfer that was started has ended."""


class Copier:
    """Copies the rows of a transfer, kind by kind."""

    __slots__ = ("_device_pools", "host_pools")

    def __init__(self, device_pools: dict[LayerKind, DevicePool], host_pools: dict[LayerKind, HostPool]) -> None:
        self._device_pools = device_pools
        self.host_pools = host_pools

    @torch.inference_mode()
    def copy(self, transfer: Transfer) -> None:
        """Copy, or on a GPU queue the copy on the current stream."""
        for component, (device_slots, host_slots) in transfer.parts.items():
            if not device_slots:
                continue
            kind = LayerKind(component)
            # In the order of the host slots, for long runs.
            order = sorted(range(len(host_slots)), key=host_slots.__getitem__)
            ours, theirs = (array("i", map(slots.__getitem__, order)) for slots in (device_slots, host_slots))
            copy = _back_up if transfer.direction == "backup" else _load
            copy(self._device_pools[kind].layers, ours, self.host_pools[kind], theirs)


class DirectLane:
    """Copies at once: for a CPU, where a copy is a copy."""

    __slots__ = ("_copier", "_done")

    def __init__(self, copier: Copier) -> None:
        self._copier = copier
        self._done: list[int] = []

    def start(self, transfer: Transfer) -> None:
        """Copy."""
        self._copier.copy(transfer)
        self._done.append(transfer.id)

    def fence(self) -> None:
        """Do nothing: all is copied."""

    def finished(self) -> list[int]:
        """Return what was copied since the last call."""
        done, self._done = self._done, []
        return done

    def drain(self) -> None:
        """Do nothing: all is copied."""


class StreamLane:
    """Copies on a CUDA stream beside the one that computes.

    A transfer waits, on the device, for what was computed before it started: a backup reads what the last forward
    wrote, a load overwrites what it read. The next forward waits, on the device again, for loads; for backups only
    with `backups_let_go`, when the cache gives their slots to others before they have ended.
    """

    __slots__ = ("_awaited", "_backups_let_go", "_copier", "_device", "_pending", "_stream")

    def __init__(self, copier: Copier, device: torch.device, backups_let_go: bool) -> None:
        self._copier = copier
        self._device = device
        self._backups_let_go = backups_let_go
        self._stream = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
        self._pending: deque[tuple[int, torch.cuda.Event]] = deque()
        self._awaited: torch.cuda.Event | None = None

    def start(self, transfer: Transfer) -> None:
        """Queue the copies."""
        self._stream.wait_stream(torch.cuda.current_stream(self._device))
        with torch.cuda.stream(self._stream):
            self._copier.copy(transfer)
            event = torch.cuda.Event()  # type: ignore[no-untyped-call]
            event.record(self._stream)
        self._pending.append((transfer.id, event))
        if self._backups_let_go or transfer.direction == "load":
            self._awaited = event

    def fence(self) -> None:
        """Let the computing stream wait for the last transfer that matters, and so for all before it."""
        if self._awaited is not None:
            torch.cuda.current_stream(self._device).wait_event(self._awaited)
            self._awaited = None

    def finished(self) -> list[int]:
        """Return the transfers whose event has come, in order."""
        done = []
        while self._pending and self._pending[0][1].query():  # type: ignore[no-untyped-call]
            done.append(self._pending.popleft()[0])
        return done

    def drain(self) -> None:
        """Wait for the stream."""
        self._stream.synchronize()


def _back_up(layers: Tensor, device_slots: array[int], pool: HostPool, host_slots: array[int]) -> None:
    staged = layers.index_select(1, _index(device_slots, layers)).transpose(0, 1).contiguous()
    for first, last, slot in _runs(host_slots):
        pool.part(slot, slot + last - first).copy_(staged[first:last], non_blocking=True)


def _load(layers: Tensor, device_slots: array[int], pool: HostPool, host_slots: array[int]) -> None:
    staged = torch.empty((len(host_slots), *pool.rows.shape[1:]), dtype=layers.dtype, device=layers.device)
    for first, last, slot in _runs(host_slots):
        staged[first:last].copy_(pool.part(slot, slot + last - first), non_blocking=True)
    layers.index_copy_(1, _index(device_slots, layers), staged.transpose(0, 1))


def _index(slots: array[int], layers: Tensor) -> Tensor:
    index = torch.frombuffer(slots, dtype=torch.int32).to(torch.int64)
    return index.pin_memory().to(layers.device, non_blocking=True) if layers.is_cuda else index


def _runs(slots: array[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (first, last, slot) for each run of neighbours in ascending `slots`: [first, last) start at `slot`."""
    first = 0
    for index in range(1, len(slots) + 1):
        if index == len(slots) or slots[index] != slots[index - 1] + 1:
            yield first, index, slots[first]
            first = index
