"""The engines' processes: one for each version that a test asks for, kept to the end of the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache

import pytest

from tests.support.peer_process import PeerOf, PeerProcess


@pytest.fixture(scope="session")
def peer_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PeerOf]:
    """Return the process that has imported an engine; it is started when it is asked for first."""
    with ExitStack() as stack:
        yield cache(lambda engine: stack.enter_context(PeerProcess(engine, tmp_path_factory.mktemp("peer"))))
