"""What every screen is given to show: the newest frame, and what the header says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from radixtop.messages import Frame
from radixtop.render.chrome import Status, setup_of
from radixtop.words.outside import is_outside

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from probes.travel.moment import Moment


@dataclass(frozen=True, slots=True)
class Scene:
    """One frame with the state of the screen around it. `components` are the names of the cache's components."""

    frame: Frame
    status: Status
    components: tuple[str, ...] = ()

    @property
    def now(self) -> int:
        """The time that ages are counted to, 0 before the first snapshot."""
        return self.frame.snapshot.now if self.frame.snapshot else 0

    @property
    def is_kept(self) -> bool:
        """Whether something is kept of what is watched, to go back to: nothing is of servers."""
        snapshot = self.frame.snapshot
        return self.frame.moment is not None or snapshot is None or not is_outside(snapshot)


def titled(title: str, frame: Frame) -> str:
    """Return what stands over a screen: plainly whether it shows text of prompts, too."""
    return f"{title} · text of prompts {frame.text}" if frame.text else title


def status_of(status: Status, snapshot: Snapshot, moment: Moment | None = None) -> Status:
    """Return the status with what a snapshot says about its source; of a live one in the past, how that is now."""
    from probes.builtin.overhead import OverheadSample  # not for the first frame

    source = snapshot.source
    if moment is not None and moment.newest is not None:
        source = moment.newest
    cost = snapshot.get(OverheadSample)
    return replace(
        status,
        state=source.state,
        message=source.message,
        running_ns=_running_ns(source.config, snapshot.now),
        heartbeat_age_ns=source.heartbeat_age_ns,
        dropped_records=source.dropped_records,
        dropped_unit="batch" if "fleet" in snapshot.samples else "record",
        torn_blocks=source.torn_blocks,
        overhead=cost.ratio if cost else None,
        detail=cost.detail if cost and cost.ratio is not None else "full",
        setup=setup_of(source.config),
        moment=moment,
        shown=_shown(snapshot),
    )


def _shown(snapshot: Snapshot) -> str:
    """Return which of several ranks is shown."""
    if "fleet" not in snapshot.samples:
        return ""
    from radixtop.fleet.shown import followed_words  # of servers only

    return followed_words(snapshot)


def _running_ns(config: Mapping[str, object], now: int) -> int | None:
    """Return how long the source had run at `now`, a time on the clock of its records."""
    from profiles.dates import origin_of  # not for the first frame

    origin, started = origin_of(config), config.get("started")
    return origin.date_ns(now) - started if origin is not None and isinstance(started, int) and now else None
