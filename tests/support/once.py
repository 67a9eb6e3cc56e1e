"""What is dear and always the same is made once, however many processes run the tests."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable

import pytest


def made_once(temporary: pytest.TempPathFactory, name: str, make: Callable[[], str]) -> str:
    """Return what `make` returns: the first process of this run to ask calls it, the others wait and read it."""
    own = temporary.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    with (shared / f"{name}.made").open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        text = file.read()
        if not text:
            text = make()
            file.write(text)
    return text
