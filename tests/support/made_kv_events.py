"""Events of blocks, written down or drawn, with few names so that they meet."""

from __future__ import annotations

from hypothesis import strategies as st

from probes.kv.wire import Hash, Removed, Stored

PLACES = [("device", 0), ("device", 1), ("host", 0)]


def stored(*names: Hash, parent: Hash | None = None, tier: str = "device", group: int = 0) -> Stored:
    return Stored(list(names), parent, [], 16, tier, group)


NAMES = st.integers(1, 12)
PLACE = st.sampled_from(PLACES)
STORES = st.builds(
    lambda names, parent, place: stored(*names, parent=parent, tier=place[0], group=place[1]),
    st.lists(NAMES, max_size=5),
    st.none() | NAMES,
    PLACE,
)
REMOVALS = st.builds(lambda names, place: Removed(names, *place), st.lists(NAMES, max_size=4), PLACE)
