"""Tokens are decoded while somebody wants it: once, the newest first, and past those that nobody has a text for."""

from __future__ import annotations

import time
from array import array
from collections.abc import Sequence
from threading import Event

import pytest

from probes.errors import TextError, UnreadableTokensError
from probes.node_texts import wanted as wanted_module
from probes.node_texts.cache import TextCache
from probes.node_texts.decoder import Decoder
from probes.node_texts.wanted import MOST, RETRY_S, STALE_S, Wanted
from probes.text import TextSource

PATIENCE_S = 10.0


def tokens(text: str) -> bytes:
    return array("i", map(ord, text)).tobytes()


class Speller(TextSource):
    """Spells tokens, and notes what it was asked for; it waits for `let` where that is not set."""

    most_at_once = 4

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.let, self.began = Event(), Event()
        self.let.set()

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        texts = ["".join(map(chr, row)) for row in rows]
        self.asked += texts
        self.began.set()
        assert self.let.wait(PATIENCE_S)
        if any("poison" in text for text in texts):
            raise UnreadableTokensError("no text for these")
        return texts


def told(decoder: Decoder, text: str) -> str:
    """Ask as a screen does, again and again."""
    until = time.monotonic() + PATIENCE_S
    while (found := decoder.text(tokens(text))) is None:
        assert time.monotonic() < until, decoder.message
        Event().wait(0.002)
    return found


@pytest.fixture
def speller() -> Speller:
    return Speller()


def test_nobody_is_asked_and_nothing_runs_before_somebody_wants_text() -> None:
    made: list[None] = []

    def make() -> TextSource:
        made.append(None)
        return Speller()

    decoder = Decoder(make)
    assert decoder._thread is None
    decoder.close()
    assert made == []


def test_what_is_asked_for_again_and_again_is_decoded_once(speller: Speller) -> None:
    decoder = Decoder(lambda: speller)
    speller.let.clear()
    assert decoder.text(tokens("you are")) is None
    assert speller.began.wait(PATIENCE_S)
    for _ in range(20):  # while it is being decoded, too
        assert decoder.text(tokens("you are")) is None
    speller.let.set()
    assert told(decoder, "you are") == "you are"
    assert told(decoder, "another") == "another"
    assert told(decoder, "you are") == "you are"
    decoder.close()
    assert speller.asked == ["you are", "another"]


def test_who_asks_never_waits_for_a_source_that_does_not_answer(speller: Speller) -> None:
    speller.let.clear()
    decoder = Decoder(lambda: speller)
    decoder.text(tokens("slow"))
    assert speller.began.wait(PATIENCE_S)
    began = time.perf_counter()
    for number in range(1_000):
        decoder.text(tokens(f"row {number}"))
    asking_s = time.perf_counter() - began
    decoder.close()
    speller.let.set()
    assert asking_s < PATIENCE_S / 2  # a source that is waited for takes PATIENCE_S


def test_a_row_that_nobody_has_a_text_for_leaves_the_others_theirs(
    speller: Speller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("probes.node_texts.decoder.FIRST_WAIT_S", 0.001)
    decoder = Decoder(lambda: speller)
    speller.let.clear()
    decoder.text(tokens("first"))
    assert speller.began.wait(PATIENCE_S)
    for text in ("a", "poison", "b", "c"):
        decoder.text(tokens(text))
    speller.let.set()
    assert [told(decoder, text) for text in "abc"] == ["a", "b", "c"]
    until = time.monotonic() + PATIENCE_S
    while not decoder._wanted._failed:
        assert time.monotonic() < until, speller.asked
        decoder.text(tokens("poison"))
        Event().wait(0.002)
    decoder.close()
    assert speller.asked.count("poison") <= 3


def test_a_source_that_fails_is_left_alone_longer_each_time_and_says_why_in_one_line() -> None:
    class Broken(TextSource):
        def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
            raise TextError("http://127.0.0.1:1/detokenize is not there (404)", "see its version")

    decoder = Decoder(Broken)
    waits = [decoder._step([tokens("x")]) for _ in range(12)]
    assert waits == sorted(waits)
    assert waits[-1] > 50 * waits[0]
    assert waits[-1] == waits[-2]
    assert decoder.message.startswith("no text of prompts: http://127.0.0.1:1/detokenize is not there")
    assert "\n" not in decoder.message


def test_what_a_source_raises_by_mistake_tells_nothing_of_the_text() -> None:
    class Careless(TextSource):
        def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
            raise ValueError("SECRET PROMPT")

    decoder = Decoder(Careless)
    assert decoder._step([tokens("x")]) > 0
    assert "SECRET" not in decoder.message
    assert "ValueError" in decoder.message


def test_a_wrong_number_of_texts_is_none_of_them() -> None:
    class Short(TextSource):
        most_at_once = 4

        def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
            return ["only one"]

    decoder = Decoder(Short)
    decoder._step([tokens("a"), tokens("b")])
    assert len(decoder._known) == 0


def test_the_newest_is_decoded_first_and_what_is_out_of_sight_is_not() -> None:
    queue = Wanted()
    for number in range(MOST + 10):
        queue.add(tokens(f"{number}"), 0.0)
    assert len(queue) == MOST
    queue.add(tokens("seen"), STALE_S + 1)
    queue.add(tokens("seen last"), STALE_S + 1)
    assert queue.take(8, STALE_S + 2) == [tokens("seen last"), tokens("seen")]
    assert len(queue) == 0


def test_what_failed_is_tried_again_after_a_while_and_its_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wanted_module, "_MOST_FAILED", 3)
    queue = Wanted()
    for text in "abcd":
        queue.fail(tokens(text), 0.0)
    assert [queue.add(tokens(text), 1.0) for text in "abcd"] == [True, False, False, False]
    assert queue.add(tokens("d"), RETRY_S + 1)


def test_a_cache_keeps_what_was_looked_at_last_and_no_more_than_it_has_room_for() -> None:
    cache = TextCache(most_characters=3_000)
    for number in range(100):
        cache.put(tokens(f"{number}"), "x" * 100)
        cache.get(tokens("0"))
    assert cache.get(tokens("0")) is not None
    assert cache.get(tokens("1")) is None
    assert len(cache) < 12
    cache.put(tokens("huge"), "y" * 1_000_000)
    assert len(cache.get(tokens("huge")) or "") < 20_000
