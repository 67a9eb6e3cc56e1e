"""A session on what is reached over a network; who watches a process of this machine imports nothing of it."""

from __future__ import annotations

from probes.adapter import ADAPTERS
from probes.adapters.zmq import ZmqAdapter
from probes.engines.access import Access
from probes.engines.engine_adapter import EngineAdapter
from probes.kv_feed.feed import Feed
from radixtop.engine_target import NetworkTarget, StreamTarget
from radixtop.session import Session


class NetworkSession(Session):
    """A session on what is reached over a network, which need not be there: the state says so."""

    patience_s = longest_start_s = 3.0

    def __init__(self, target: NetworkTarget, access: Access) -> None:
        if isinstance(target, StreamTarget):
            super().__init__(ZmqAdapter(Feed(target.endpoint), str(target)))
        else:
            engine = ADAPTERS.load(target.engine)
            assert issubclass(engine, EngineAdapter)
            super().__init__(engine(target.address, access))
