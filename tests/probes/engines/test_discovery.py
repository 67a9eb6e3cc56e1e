"""Asking a server what it is: until it says, one knows why not."""

from __future__ import annotations

from threading import Event

import pytest

from probes.engines import discovery as discoveries
from probes.engines.discovery import Discovery
from probes.engines.errors import UnreachableError
from probes.engines.server import ServerInfo
from tests.support.processes import until


class Server:
    """Answers once it is let to."""

    def __init__(self) -> None:
        self.may_answer = Event()

    def __call__(self) -> ServerInfo:
        assert self.may_answer.wait(20)
        return ServerInfo(engine="sglang")


def test_a_server_that_is_silent_is_said_to_be_however_long_it_may_be() -> None:
    now, server = [100.0], Server()
    asked = Discovery(server, "sglang://gpu1:30000", lambda: now[0])
    assert asked.message == ""
    now[0] += 1.5
    assert asked.message == "sglang://gpu1:30000 has not answered for 1 s; it may be overloaded or hang"
    server.may_answer.set()
    until(lambda: asked.info is not None, 20, "an answer")
    assert asked.message == ""
    asked.close()


def test_what_goes_wrong_is_said_until_it_goes_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discoveries, "FIRST_WAIT_S", 0.001)
    said: list[str] = []
    known = Event()  # `ask` looks at what it is asked by, which must have its name by then

    def ask() -> ServerInfo:
        assert known.wait(20)
        said.append(asked.message if said else "")
        if len(said) == 1:
            raise UnreachableError("nothing listens at gpu1", "start it")
        if len(said) == 2:
            raise ValueError("of all things")
        return ServerInfo(engine="sglang")

    asked = Discovery(ask, "sglang://gpu1:30000")
    known.set()
    until(lambda: asked.info is not None, 20, "an answer")
    assert said[1].startswith("nothing listens at gpu1")
    assert said[2] == (
        "sglang://gpu1:30000 answers what cannot be read (ValueError: of all things); "
        "see radixtop doctor sglang://gpu1:30000"
    )
    assert asked.message == ""
