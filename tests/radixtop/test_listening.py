"""Addresses to listen at: which texts are some, and what is said where one cannot be had."""

from __future__ import annotations

import errno

import pytest

from radixtop.errors import RadixtopError, UsageError
from radixtop.listening import explained, host_and_port


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("9400", ("127.0.0.1", 9400)),
        ("0", ("127.0.0.1", 0)),
        ("0.0.0.0:9400", ("0.0.0.0", 9400)),
        ("[::1]:9400", ("::1", 9400)),
        ("metrics.example:65535", ("metrics.example", 65535)),
    ],
)
def test_an_address_is_a_port_or_a_host_and_a_port(text: str, place: tuple[str, int]) -> None:
    assert host_and_port(text) == place


@pytest.mark.parametrize(
    "text", ["", ":9400", "host:", "host", "65536", "9400000", "::1:9400", "[::1]", "a b:1", "٣", "-1"]
)
def test_what_is_no_address_is_answered_with_what_is_one(text: str) -> None:
    with pytest.raises(UsageError) as told:
        host_and_port(text)
    assert "0.0.0.0:9400" in told.value.hint


def test_a_port_of_the_privileged_is_said() -> None:
    with pytest.raises(RadixtopError, match="port 80 is for privileged programs"), explained("127.0.0.1", 80):
        raise PermissionError(errno.EACCES, "Permission denied")
