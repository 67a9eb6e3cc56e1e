"""The twin's operations of a host tier: transfers taken, executed, completed or left under way; host evictions."""

from __future__ import annotations

import pytest

from cache_core import LockError
from tests.support.twin_slots import TwinSlots


class TwinHost(TwinSlots):
    """Whoever executes the transfers."""

    def take_transfers(self) -> None:
        """Take what is queued on both sides, compare it, and make the copies in order."""
        if not self.naive.host:
            return
        ours, models = self.real.host.take_transfers(), self.naive.take_transfers()
        assert [transfer.direction for transfer in ours] == [transfer.direction for transfer in models]
        for real, naive in zip(ours, models, strict=True):
            sizes = {name: len(on_device) for name, (on_device, _) in real.parts.items()}
            assert {name: size for name, size in sizes.items() if size} == naive.sizes
            self.shadow.copy(real.direction, real.parts)
            self.transfers.append((real.id, naive))

    def before_writing(self) -> None:
        """Device slots that a transfer reads may be anybody's by now: make the copies before they are written to."""
        self.take_transfers()

    def complete(self, which: int, upto: int) -> None:
        """Complete one to three of the transfers that were taken, in any order."""
        for _ in range(upto % 3 + 1):
            if not self.transfers:
                return
            number, naive = self.transfers.pop(which % len(self.transfers))
            self.real.host.complete(number)
            self.naive.complete(naive)
            with pytest.raises(LockError):
                self.real.host.complete(number)

    def evict_host(self, full: int, swa: int, states: int) -> None:
        """Make room on the host."""
        if self.naive.host:
            reach = self.reach // 2
            self.real.host.evict(full_tokens=full % reach, swa_tokens=swa % reach, mamba_states=states % 3)
            self.naive.evict_host(full % reach, swa % reach, states % 3)
