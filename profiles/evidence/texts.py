"""Text that prompts have in common behind tokens that differ, found by the names of its segments.

    first    |- time 1 -|------- system prompt -------|- question 1 -|
    second   |- time 2 -|------- system prompt -------|- question 2 -|
             ^ parts here          ^ computed again: the same name, as long

Content is told by a hash of everything before it as well, so only names can say that. A name is that of a text if
what it stands for is equally long; names of roles, which stand for texts of any length, are none.
"""

from __future__ import annotations

from collections import Counter

from probes.lives.request_life import Life
from probes.mirror import Mirror
from probes.newest import forget_oldest
from profiles.evidence.evidence import Divergence, PageLoss
from profiles.evidence.scope import Scope

LONG_TOKENS = 192
"""Prompts of so many tokens are worth a cache."""

EARLY_TOKENS, EARLY_SHARE = 64, 0.1
"""What is left within so many tokens, or such a share of a prompt, is left early."""

LEAST_TOKENS = 16
_MOST_NAMES = 1 << 16

Segment = tuple[int, int, int]
"""Where it starts and ends, and its label."""


def segments_of(mirror: Mirror, node_id: int, upto: int) -> list[Segment]:
    """Return the named segments on the path down to a node, before a position."""
    node = mirror.nodes.get(node_id)
    end = min(upto, node.end) if node is not None else 0
    starts: list[tuple[int, int]] = []
    while node is not None and node.parent is not None:
        starts += reversed(node.segments)
        node = node.parent
    found: list[Segment] = []
    for start, label in reversed(starts):
        if start >= end:
            break
        if found and found[-1][2] == label:
            continue
        if found:
            found[-1] = (found[-1][0], start, found[-1][2])
        found.append((start, end, label))
    return found


class Texts:
    """Remembers the names and lengths of text that was computed, and notices when it is computed again."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._length: dict[int, int] = {}
        self._seen_in: dict[tuple[int, int | None], None] = {}
        self.other_namespace_tokens = 0
        self._named = False
        self._requests = self._tokens = 0
        self._since: int | None = None
        self._positions: Counter[int] = Counter()
        self._labels: Counter[int] = Counter()
        self._before: Counter[int] = Counter()
        self._long = self._long_tokens = self._early = self._early_tokens = self._early_shared = 0
        self._early_since: int | None = None
        self._page_tokens = self._page_requests = self._forks = self._below = 0
        self._page_since: int | None = None

    def take(self, life: Life, first_seen: int, at: int) -> None:
        """Look at a request that ended, and whose path is still there."""
        self._note_early(life, first_seen, at)
        if not first_seen:
            return
        segments = segments_of(self._scope.mirror, life.last_node, life.prompt_tokens)
        self._named = self._named or bool(segments)
        self._note_page(life, segments, at)
        from_position = max(life.full_boundary, life.matchable - first_seen)
        again = 0
        for start, end, label in segments:
            if start >= from_position and end - start >= LEAST_TOKENS:
                again += self._compute(label, end - start, life.namespace)
        if again:
            self._requests += 1
            self._tokens += again
            self._since = at if self._since is None else self._since
            self._positions[from_position] += again
            cut = next((label for start, end, label in segments if start <= from_position < end), None)
            if cut is not None:
                self._before[cut] += 1
            self._trim()

    def _compute(self, label: int, length: int, namespace: int | None) -> int:
        """Note that a text was computed; return its tokens if it had been, in the same namespace."""
        known, page = self._length.get(label), self._scope.page_tokens
        is_text = known is not None and abs(known - length) < max(2, page)
        if known is None or (not is_text and known < length):
            self._length[label] = length
        here = label, namespace
        is_here = here in self._seen_in
        self._seen_in[here] = None
        for names in (self._length, self._seen_in):
            if len(names) > _MOST_NAMES:
                forget_oldest(names)
        if not is_text:
            return 0
        if not is_here:
            self.other_namespace_tokens += length
            return 0
        self._labels[label] += length
        return length

    def _note_early(self, life: Life, first_seen: int, at: int) -> None:
        if life.prompt_tokens < LONG_TOKENS:
            return
        self._long += 1
        self._long_tokens += life.prompt_tokens
        bound = max(EARLY_TOKENS, self._scope.page_tokens, int(EARLY_SHARE * life.prompt_tokens))
        if life.full_boundary < bound and first_seen > 0.7 * life.prompt_tokens:
            self._early += 1
            self._early_tokens += first_seen
            self._early_shared += life.full_boundary > 0
            self._early_since = at if self._early_since is None else self._early_since

    def _note_page(self, life: Life, segments: list[Segment], at: int) -> None:
        """Count the tokens between the last whole page that was known and the next text, which parts there."""
        page, boundary = self._scope.page_tokens, life.full_boundary
        if page == 1:
            return
        self._forks += 1
        self._below += not life.matchable
        cut = next((start for start, _, _ in segments if boundary < start < boundary + page), None)
        if cut is not None:
            self._page_tokens += cut - boundary
            self._page_requests += 1
            self._page_since = at if self._page_since is None else self._page_since

    def _trim(self) -> None:
        for counts in (self._positions, self._labels, self._before):
            if len(counts) > 4_096:
                for name, _ in counts.most_common()[2_048:]:
                    del counts[name]

    def divergence(self) -> Divergence:
        """Return what is known of text behind tokens that differ."""
        position = self._positions.most_common(1)[0][0] if self._positions else 0
        scope = self._scope
        return Divergence(
            requests=self._requests,
            tokens=self._tokens,
            position=position,
            label=self._named_as(self._labels),
            before=self._named_as(self._before),
            since_ns=scope.since(self._since),
            is_named=self._named,
            long=self._long,
            long_tokens=self._long_tokens,
            early=self._early,
            early_tokens=self._early_tokens,
            early_shared=self._early_shared,
            early_since_ns=scope.since(self._early_since),
        )

    def page_loss(self) -> PageLoss:
        """Return what whole pages cost."""
        since = self._scope.since(self._page_since)
        return PageLoss(self._page_tokens, self._page_requests, self._forks, self._below, since)

    def _named_as(self, labels: Counter[int]) -> str:
        return self._scope.mirror.labels.get(labels.most_common(1)[0][0], "") if labels else ""
