"""The nodes of the rank that is followed say what they say; those of another one, once that is followed."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event

import pytest

from probes.fleet.figures import RankName
from probes.fleet.link import Member
from probes.fleet.texts import DecodedFleetTexts, FleetTexts
from probes.kv.wire import Stored
from probes.kv_feed.happenings import Joined
from probes.kv_mirror.follower import RankFollower
from probes.kv_mirror.tokens import NoTokens, Room
from probes.text import TextSource
from tests.support.scripted_feed import ScriptedFeed


class Speller(TextSource):
    """Spells tokens, and says so in its own way."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        return [self._prefix + "".join(map(chr, row)) for row in rows]


def member(server: str, rank: int, text: str, texts: FleetTexts) -> Member:
    """Return a rank whose first node says something."""
    found = Member(RankName(server, rank), RankFollower(ScriptedFeed(), server))
    texts.enlist([found])
    tree = found.follower.rank.tree
    tree.apply([Stored([1], None, [*map(ord, text)], len(text))], 0)
    return found


def said(texts: FleetTexts, name: RankName) -> str:
    texts.follow(name)
    for _ in range(2_000):
        if text := texts.beginning(1, 0):
            return text
        Event().wait(0.002)
    raise AssertionError(texts.message)


def test_each_server_is_asked_about_its_own_tokens() -> None:
    texts = DecodedFleetTexts({"a": lambda: Speller("a:"), "b": lambda: Speller("b:")})
    members = [member("a", 0, "one", texts), member("a", 1, "two", texts), member("b", 0, "one", texts)]
    assert [said(texts, each.name) for each in members] == ["a:one", "a:two", "b:one"]
    assert texts.matching("TWO") == {}  # of the rank that is followed alone
    texts.close()


def test_a_server_that_nobody_knows_the_text_of_keeps_nothing() -> None:
    for texts in (DecodedFleetTexts({"a": lambda: Speller("a:")}), FleetTexts()):
        found = member("other", 0, "one", texts)
        texts.follow(found.name)
        assert type(found.follower.rank.tree.kept) is NoTokens
        assert texts.beginning(1, 0) == ""


def test_a_rank_that_was_read_already_cannot_keep_its_tokens_any_more() -> None:
    feed = ScriptedFeed()
    feed.happenings = [Joined(0, False)]
    follower = RankFollower(feed, "late")
    follower.poll()
    with pytest.raises(AssertionError, match="late"):
        DecodedFleetTexts({"a": lambda: Speller("a:")}).enlist([Member(RankName("a", 0), follower)])


def test_all_ranks_share_the_room_for_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probes.fleet.texts.Room", lambda: Room(left_bytes=100))
    texts = DecodedFleetTexts({"a": lambda: Speller("a:")})
    names = [member("a", rank, text, texts).name for rank, text in enumerate(("fills it", "one"))]
    messages = []
    for name in names:
        texts.follow(name)
        messages.append(texts.message)
    assert messages == ["", "some prompts have no text: there are more tokens than there is room for"]
