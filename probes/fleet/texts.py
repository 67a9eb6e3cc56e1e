"""What the nodes of the followed rank say, where that is wanted; its tokens and those of all other ranks are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from probes.fleet.figures import RankName
from probes.kv_mirror.tokens import BlockTokens, Room
from probes.node_texts.decoded import DecodedTexts
from probes.node_texts.decoder import Decoder
from probes.node_texts.node_texts import NO_TEXTS, NodeTexts
from probes.text import TextSource

if TYPE_CHECKING:
    from probes.fleet.link import Member


class FleetTexts(NodeTexts):
    """Where nobody wants text, this one: it keeps nothing and asks nobody."""

    def enlist(self, members: Iterable[Member]) -> None:
        """Keep the tokens of some ranks; nothing of them may have been read yet."""

    def follow(self, name: RankName) -> None:
        """Tell of the nodes of this rank from now on."""

    def close(self) -> None:
        """Ask nobody any more."""


class DecodedFleetTexts(FleetTexts):
    """Texts by whoever knows them: `sources` makes a source for the servers that it has by name."""

    is_on = True

    def __init__(self, sources: Mapping[str, Callable[[], TextSource]]) -> None:
        self._decoders = {make: Decoder(make) for make in dict.fromkeys(sources.values())}
        self._sources = sources
        self._room = Room()
        self._ranks: dict[RankName, NodeTexts] = {}
        self._followed: NodeTexts = NO_TEXTS

    @property
    def version(self) -> int:
        """See NodeTexts."""
        return self._followed.version

    @property
    def is_settled(self) -> bool:
        """See NodeTexts."""
        return self._followed.is_settled

    @property
    def message(self) -> str:
        """See NodeTexts."""
        return self._followed.message

    def enlist(self, members: Iterable[Member]) -> None:
        """See FleetTexts."""
        for member in members:
            make = self._sources.get(member.name.server)
            if make is not None:
                tokens = BlockTokens(self._room)
                member.follower.keep(tokens)
                self._ranks[member.name] = DecodedTexts(tokens, self._decoders[make])

    def follow(self, name: RankName) -> None:
        """See FleetTexts."""
        self._followed = self._ranks.get(name, NO_TEXTS)

    def beginning(self, node: int, start: int) -> str:
        """See NodeTexts."""
        return self._followed.beginning(node, start)

    def whole(self, node: int, start: int) -> str:
        """See NodeTexts."""
        return self._followed.whole(node, start)

    def matching(self, text: str) -> dict[int, int]:
        """See NodeTexts."""
        return self._followed.matching(text)

    def search(self, nodes: Iterable[tuple[int, int]]) -> None:
        """See NodeTexts."""
        self._followed.search(nodes)

    def close(self) -> None:
        """See FleetTexts."""
        for decoder in self._decoders.values():
            decoder.close()
