"""Runs in a peer's interpreter: imports an engine once, and forks a process for each cache that a test wants.

A line of JSON on stdout says what runs here. Whoever connects to the Unix socket named by the last argument gets a
process of its own, which makes what the first line orders and answers each further line with one. It can be killed
like any server. All end when stdin does.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]


def quiet_stdout() -> Callable[[Json], None]:
    """Return what writes lines on stdout, where from now on nobody else does."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(answer: Json) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    return say


def serve(begin: Callable[..., Any], ready: Callable[[], None]) -> None:
    """Fork a process for each connection until stdin ends; `begin` makes the object whose methods are asked for.

    `ready` is called when connections are taken.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(sys.argv[-1])
    listener.listen()
    ready()
    poll = select.poll()
    poll.register(listener, select.POLLIN)
    poll.register(0, select.POLLIN)
    while all(number != 0 for number, _ in poll.poll()):
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            _live(connection, begin)
            os._exit(0)
        connection.close()
    os._exit(0)  # what was imported need not be taken down


def _live(connection: socket.socket, begin: Callable[..., Any]) -> None:
    """Answer lines until the connection is closed; what goes wrong is an answer, too."""
    life: Any = None
    with connection.makefile("rw", encoding="utf-8") as lines:
        for line in lines:
            order = json.loads(line)
            do = order.pop("do")
            try:
                if do == "begin":
                    life = begin(**order)
                    answer: Json = {"process_id": os.getpid()}
                else:
                    answer = getattr(life, do)(**order)
            except BaseException:  # noqa: BLE001 - the test decides what a failure means
                answer = {"error": traceback.format_exc()}
            lines.write(json.dumps(answer) + "\n")
            lines.flush()
