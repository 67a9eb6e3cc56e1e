"""What py-spy says and what the command says that it started, told apart."""

from __future__ import annotations

from profiles.cpu.overheard import ALL, Overheard

STATUS, ERRORS = (b"py-spy> ",), (b"Error: ",)


def heard(
    *pieces: bytes, beginnings: tuple[bytes, ...], to_the_end: bool = False, ok: bool = True
) -> tuple[bytes, bytes]:
    """Return what is py-spy's own, and what was told."""
    told = bytearray()
    stream = Overheard(beginnings, told.extend, to_the_end)
    for piece in pieces:
        stream.take(piece)
    stream.close(ok)
    return stream.own, bytes(told)


def test_status_lines_are_kept_and_others_told() -> None:
    pieces = (b"hello\npy-s", b"py> Samples: 1\nbye", b" now")
    assert heard(*pieces, beginnings=STATUS) == (b"py-spy> Samples: 1\n", b"hello\nbye now")


def test_an_error_is_kept_to_its_end() -> None:
    pieces = (b"starting\nError: it failed\n\nCaused by:\n    0: no\n",)
    own, told = heard(*pieces, beginnings=ERRORS, to_the_end=True, ok=False)
    assert (own, told) == (b"Error: it failed\n\nCaused by:\n    0: no\n", b"starting\n")


def test_what_only_looked_like_an_error_is_told_at_the_end() -> None:
    _, told = heard(b"Error: mine\nmore\n", beginnings=ERRORS, to_the_end=True)
    assert told == b"Error: mine\nmore\n"


def test_where_pyspy_speaks_alone_nothing_is_told() -> None:
    assert heard(b"a\nb", beginnings=ALL, to_the_end=True) == (b"a\nb", b"")


def test_no_more_is_kept_than_one_needs() -> None:
    own, _ = heard(b"x" * 300_000, b"y" * 300_000, beginnings=ALL)
    assert len(own) < 100_000
