"""The first reading of a recording to be replayed: its cuts, and what each request turned out to be.

Kept are the cuts, about 120 bytes for each stretch of content that the run ever stored, and 24 bytes for each
admission: the replay of a recording needs more memory the more different content it holds.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable

from cache_core.events import (
    EngineStep,
    Insert,
    Match,
    NodeAdded,
    NodeMarked,
    NodeSplit,
    Record,
    RequestAdmitted,
    RequestFinished,
    RequestRetracted,
)
from probes.fold import Folds
from probes.mirror import Mirror
from profiles.growth.cuts import Cuts
from profiles.replay.marked import MarkedCuts
from profiles.replay.roles import Roles

NO_KEY = 0
"""Stands for a content key in a table of admissions whose content is not known."""

UNENDED = 1 << 40
"""How many outputs a request has that does not end in the recording: as many as there are steps."""


class Survey:
    """What a first reading found. Admissions are numbered in their order.

    With a `page` content is cut where it was marked, too, up to 16 cuts more for each node that ever was, and
    `role_labels` are those of segments that name no text.
    """

    def __init__(self, mirror: Mirror, page: int | None = None) -> None:
        self.cuts = Cuts()
        self.keys = array("q")
        """The content key of the longest insert of each admission, or of what it matched, or NO_KEY."""
        self.outputs = array("q")
        self.priorities = array("q")
        self.steps = 0
        """Engine steps that decoded: with them it is known when outputs came."""
        self._mirror = mirror
        self._lengths: dict[int, int] = {}
        self._lives: dict[int, int] = {}
        self._matched: dict[int, tuple[int, int]] = {}
        self._folds: Folds = {
            NodeAdded: self._added, NodeSplit: self._split, Match: self._match, RequestAdmitted: self._admitted,
            Insert: self._insert, RequestFinished: self._ended, RequestRetracted: self._ended, EngineStep: self._step,
        }  # fmt: skip
        self._roles = Roles(mirror, page or 1)
        self._knows_texts = page is not None
        if self._knows_texts:
            self._folds = {**self._folds, NodeMarked: MarkedCuts(mirror, self.cuts).take}

    @property
    def role_labels(self) -> Collection[int]:
        """The labels that texts have which are not the same."""
        return self._roles.labels

    def take(self, records: Iterable[Record]) -> None:
        """Read a recording from its first record to its last."""
        before, after = self._mirror.folds, self._folds
        for record in records:
            kind = type(record)
            if kind in before:
                before[kind](record)
            if kind in after:
                after[kind](record)

    @property
    def requests(self) -> int:
        """How often a request was admitted."""
        return len(self.keys)

    def _added(self, record: NodeAdded) -> None:
        self._note(record.node)

    def _split(self, record: NodeSplit) -> None:
        self._note(record.upper)
        self._note(record.node)

    def _note(self, id_: int) -> None:
        node = self._mirror.nodes.get(id_)
        if node is not None and node.parent is not None:
            self.cuts.note(node)

    def _match(self, record: Match) -> None:
        node = self._mirror.nodes.get(record.full_node)
        if record.request >= 0 and node is not None and node.parent is not None:
            self._matched[record.request] = node.content_key, node.end

    def _admitted(self, record: RequestAdmitted) -> None:
        key, end = self._matched.pop(record.request, (NO_KEY, 0))
        life = self._lives[record.request] = len(self.keys)
        self.keys.append(key)
        self.outputs.append(UNENDED)
        self.priorities.append(0)
        self._lengths[life] = end

    def _insert(self, record: Insert) -> None:
        if self._knows_texts:
            self._roles.take(record)
        life = self._lives.get(record.request)
        node = self._mirror.nodes.get(record.node)
        if life is None or node is None or node.parent is None or node.end < self._lengths[life]:
            return
        self.keys[life] = node.content_key
        self._lengths[life] = node.end
        if node.created_at == record.at:  # it is this request's own, so its priority is the request's
            self.priorities[life] = node.priority

    def _ended(self, record: RequestFinished | RequestRetracted) -> None:
        self._matched.pop(record.request, None)
        life = self._lives.pop(record.request, None)
        if life is not None:
            del self._lengths[life]
            self.outputs[life] = max(0, record.output_tokens)

    def _step(self, record: EngineStep) -> None:
        self.steps += record.decode_tokens > 0
