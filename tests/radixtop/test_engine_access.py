"""How to get into a server: which key counts, and that no message shows one."""

from __future__ import annotations

from pathlib import Path

import pytest

from probes.engines.access import Token
from radixtop.engine_access import AccessFlags, access_of, token_of
from radixtop.errors import UsageError

ENVIRONMENT = {"RADIXTOP_API_KEY": "from-environment"}


def header(flags: AccessFlags, environment: dict[str, str]) -> str | None:
    """Return what would be sent."""
    token = access_of(flags, environment).token
    return None if token is None else token.header


def test_a_flag_counts_before_the_environment() -> None:
    assert header(AccessFlags(Token("by-flag")), ENVIRONMENT) == "Bearer by-flag"


def test_a_file_counts_before_the_environment(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("  in-file \nsecond line\n")
    assert header(AccessFlags(api_key_file=tmp_path / "key"), ENVIRONMENT) == "Bearer in-file"


def test_the_environment_counts_where_nothing_else_is_said() -> None:
    assert header(AccessFlags(), ENVIRONMENT) == "Bearer from-environment"


@pytest.mark.parametrize("environment", [{}, {"RADIXTOP_API_KEY": ""}])
def test_without_a_key_none_is_sent(environment: dict[str, str]) -> None:
    assert header(AccessFlags(), environment) is None


@pytest.mark.parametrize(
    "flags",
    [
        AccessFlags(Token("a"), Path("b")),
        AccessFlags(client_key=Path("k.pem")),
        AccessFlags(api_key_file=Path("/no/such/file")),
        AccessFlags(api_key_file=Path("/dev/null")),
    ],
    ids=["two keys", "a client key alone", "no such file", "an empty file"],
)
def test_flags_that_cannot_be_meant_are_usage(flags: AccessFlags) -> None:
    with pytest.raises(UsageError):
        access_of(flags, {})


def test_no_representation_and_no_message_shows_a_key() -> None:
    flags = AccessFlags(Token("sk-secret"))
    assert "sk-secret" not in repr(flags) + repr(access_of(flags, {}))
    with pytest.raises(UsageError) as caught:
        token_of("sk-secret\x00", "RADIXTOP_API_KEY")
    assert "sk-secret" not in f"{caught.value.message}{caught.value.hint}"
    assert "RADIXTOP_API_KEY" in caught.value.message
