"""Who may see the dashboard in a browser: the rules, without a server."""

from __future__ import annotations

from http import HTTPStatus

import pytest

from radixtop.web.access import Access, Asked, fault_of_token, name_of, new_token

TOKEN = "a-token-of-some-length"
HERE = "127.0.0.1:8765"
ORIGIN = f"http://{HERE}"


def access(host: str = "127.0.0.1") -> Access:
    return Access(TOKEN, host, 8765)


def status(door: Access, asked: Asked) -> HTTPStatus:
    return door.judge(asked).status


def test_the_token_is_traded_for_a_cookie_and_the_cookie_lets_in() -> None:
    door = access()
    assert status(door, Asked(HERE)) is HTTPStatus.UNAUTHORIZED
    assert status(door, Asked(HERE, token=TOKEN)) is HTTPStatus.SEE_OTHER
    cookies = {door.cookie_name: door.cookie}
    assert status(door, Asked(HERE, cookies=cookies)) is HTTPStatus.OK
    assert status(door, Asked(HERE, ORIGIN, cookies=cookies, is_stream=True)) is HTTPStatus.OK
    assert door.cookie != TOKEN


@pytest.mark.parametrize("token", ["", "a-token-of-some-lengt", "A-TOKEN-OF-SOME-LENGTH", TOKEN + " ", "é\ud800"])
def test_another_token_or_cookie_does_not(token: str) -> None:
    door = access()
    assert status(door, Asked(HERE, token=token)) is HTTPStatus.UNAUTHORIZED
    assert status(door, Asked(HERE, cookies={door.cookie_name: token})) is HTTPStatus.UNAUTHORIZED
    assert status(door, Asked(HERE, cookies={"radixtop-1": door.cookie})) is HTTPStatus.UNAUTHORIZED


def test_a_stream_needs_the_cookie_whatever_its_address_says() -> None:
    assert status(access(), Asked(HERE, ORIGIN, token=TOKEN, is_stream=True)) is HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize(
    "origin",
    [None, "null", "http://evil.example", "https://127.0.0.1:8765", "http://127.0.0.1:1", "http://localhost:8765"],
)
def test_a_stream_of_another_page_is_refused_even_with_the_cookie(origin: str | None) -> None:
    door = access()
    asked = Asked(HERE, origin, cookies={door.cookie_name: door.cookie}, is_stream=True)
    assert status(door, asked) is HTTPStatus.FORBIDDEN


def test_what_another_page_asks_for_is_refused() -> None:
    door = access()
    asked = Asked(HERE, "http://evil.example", cookies={door.cookie_name: door.cookie})
    assert status(door, asked) is HTTPStatus.FORBIDDEN


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("127.0.0.1:8765", True), ("127.0.0.1", True), ("localhost:9000", True), ("LOCALHOST", True),
        ("[::1]:8765", True),
        ("evil.example:8765", False), ("127.0.0.1.evil.example", False), ("192.168.1.7:8765", False), ("", False),
        (None, False), ("localhost:x", False), ("[::1", False), ("[::1]x", False),
    ],
)  # fmt: skip
def test_only_names_of_this_machine_are_answered(host: str | None, is_ours: bool) -> None:
    expected = HTTPStatus.SEE_OTHER if is_ours else HTTPStatus.FORBIDDEN
    assert status(access(), Asked(host, token=TOKEN)) is expected


@pytest.mark.parametrize(
    ("host", "is_ours"), [("192.168.1.7:8765", True), ("[fe80::1]:8765", True), ("evil.example:8765", False)]
)
def test_a_server_for_others_goes_by_addresses_and_its_own_names(host: str, is_ours: bool) -> None:
    expected = HTTPStatus.SEE_OTHER if is_ours else HTTPStatus.FORBIDDEN
    assert status(access("0.0.0.0"), Asked(host, token=TOKEN)) is expected
    assert status(access("gpu7.example"), Asked("gpu7.example:8765", token=TOKEN)) is HTTPStatus.SEE_OTHER


def test_a_name_is_read_without_its_port() -> None:
    assert [name_of(host) for host in ("A.b:1", "[::1]:2", "a:", ":1")] == ["a.b", "::1", "a", None]


def test_tokens_are_long_and_never_the_same() -> None:
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) >= 32 and not fault_of_token(token) for token in tokens)
    assert "too few" in fault_of_token("short")
    assert "only letters" in fault_of_token("sixteen characters & more")
