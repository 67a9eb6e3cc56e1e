"""Text that prompts have in common behind tokens that differ, found by the names of its segments.

    first    |- time 1 -|------- system prompt -------|- question 1 -|
    second   |- time 2 -|------- system prompt -------|- question 2 -|
             ^ parts here          ^ computed again: the same name, as long

Content is told by a hash of everything before it as well, so only names can say that. A name is that of a text if
what it stands for is equally long; names of roles, which stand for texts of any length, are none. Nor are those whose
text is not the same when nothing differs before it. Where such names stand for most of the text, or such beginnings
are many, the names of the source are no names of texts.
"""

from __future__ import annotations

from collections import Counter

from probes.lives.request_life import Life
from probes.newest import forget_oldest
from profiles.evidence.evidence import Divergence
from profiles.evidence.scope import Scope
from profiles.evidence.segments import Segment

LONG_TOKENS = 192
"""Prompts of so many tokens are worth a cache."""

EARLY_TOKENS, EARLY_SHARE = 64, 0.1
"""What is left within so many tokens, or such a share of a prompt, is left early."""

LEAST_TOKENS = 16
HEADER_TOKENS = 64
"""What a prompt begins with, if shorter than that, may change from prompt to prompt: a date, an id."""
_LATE_SHARE = 0.5
"""A text that was known up to there is the same: what was evicted is recognised at marks, some tokens short of it."""
_MOST_MISNAMED, _MISNAMED_SHARE = 3, 0.05
_MOST_NAMES = 1 << 16
_MOST_COUNTED = 4_096


class _Behind:
    """Sums of text that was computed again: behind what was left early, or late."""

    __slots__ = ("before", "labels", "positions", "requests", "since", "tokens")

    def __init__(self) -> None:
        self.requests = self.tokens = 0
        self.since: int | None = None
        self.positions: Counter[int] = Counter()
        self.labels: Counter[int] = Counter()
        self.before: Counter[int] = Counter()

    def add(self, position: int, before: int | None, again: Counter[int], at: int) -> None:
        tokens = again.total()
        self.requests += 1
        self.tokens += tokens
        self.since = at if self.since is None else self.since
        self.positions[position] += tokens
        self.labels += again
        if before is not None:
            self.before[before] += 1
        for counts in (self.positions, self.labels, self.before):
            if len(counts) > _MOST_COUNTED:
                for name, _ in counts.most_common()[_MOST_COUNTED // 2 :]:
                    del counts[name]

    @property
    def position(self) -> int:
        return self.positions.most_common(1)[0][0] if self.positions else 0


class Texts:
    """Remembers the names and lengths of text that was computed, and notices when it is computed again."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._seen: dict[tuple[int, int], None] = {}
        self._seen_in: dict[tuple[int, int, int | None], None] = {}
        self._lengths: dict[int, tuple[int, int]] = {}
        self._told_tokens = self._role_tokens = 0
        self._namespaces: dict[int | None, None] = {}
        self._begun: dict[tuple[int, int, int | None], None] = {}
        self.other_namespace_tokens = 0
        self._named = False
        self._requests = self._misnamed = 0
        self._early, self._late = _Behind(), _Behind()
        self._long = self._long_tokens = self._parting = self._parting_tokens = self._parting_shared = 0
        self._parting_shared_tokens = 0
        self._parting_since: int | None = None

    def take(self, life: Life, segments: list[Segment], first_seen: int, at: int) -> None:
        """Look at a request that ended, and whose path is still there."""
        self._requests += 1
        is_early = life.full_boundary < self._bound(life)
        if life.namespace in self._namespaces:
            self._note_parting(life, first_seen, is_early, at)
        elif len(self._namespaces) < _MOST_NAMES:
            self._namespaces[life.namespace] = None
        if not first_seen:
            return
        self._named = self._named or bool(segments)
        from_position = max(life.full_boundary, life.matchable - first_seen)
        again: Counter[int] = Counter()
        if segments and from_position < segments[0].start + _LATE_SHARE * segments[0].length:
            self._note_beginning(segments[0], life.namespace)
        for segment in segments:
            if segment.start >= from_position and segment.whole and segment.length >= LEAST_TOKENS:
                again[segment.label] += self._compute(segment, life.namespace)
                self._note_length(segment)
        again = +again
        if again:
            before = next((each.label for each in segments if each.start <= from_position < each.end), None)
            (self._early if is_early else self._late).add(from_position, before, again, at)

    def _bound(self, life: Life) -> int:
        return max(EARLY_TOKENS, self._scope.page_tokens, int(EARLY_SHARE * life.prompt_tokens))

    def _note_beginning(self, first: Segment, namespace: int | None) -> None:
        """Notice that a prompt begins with a text of which another has begun one by the same name, as long."""
        if first.start or not first.whole or first.length < HEADER_TOKENS:
            return
        text = first.label, first.length, namespace
        self._misnamed += text in self._begun
        self._begun[text] = None
        if len(self._begun) > _MOST_NAMES:
            forget_oldest(self._begun)

    def _note_length(self, segment: Segment) -> None:
        """Notice that a name stands for texts whose lengths differ by more than what a page may cut."""
        least, most = self._lengths.get(segment.label, (segment.length, segment.length))
        least, most = min(least, segment.length), max(most, segment.length)
        self._lengths[segment.label] = least, most
        if len(self._lengths) > _MOST_NAMES:
            forget_oldest(self._lengths)
        self._told_tokens += segment.length
        self._role_tokens += segment.length if most - least >= self._scope.page_tokens else 0

    def _are_texts_named(self) -> bool:
        are_roles = 2 * self._role_tokens > self._told_tokens
        is_misnamed = self._misnamed >= max(_MOST_MISNAMED, _MISNAMED_SHARE * self._requests)
        return self._named and not are_roles and not is_misnamed

    def _compute(self, segment: Segment, namespace: int | None) -> int:
        """Note that a text was computed; return its tokens if it had been, in the same namespace."""
        text = segment.label, segment.length
        here = *text, namespace
        was_seen, is_here = text in self._seen, here in self._seen_in
        self._seen[text] = None
        self._seen_in[here] = None
        if len(self._seen) > _MOST_NAMES:
            forget_oldest(self._seen)
        if len(self._seen_in) > _MOST_NAMES:
            forget_oldest(self._seen_in)
        if was_seen and not is_here:
            self.other_namespace_tokens += segment.length
        return segment.length if is_here else 0

    def _note_parting(self, life: Life, first_seen: int, is_early: bool, at: int) -> None:
        if life.prompt_tokens < LONG_TOKENS:
            return
        self._long += 1
        self._long_tokens += life.prompt_tokens
        if is_early and first_seen > 0.7 * life.prompt_tokens:
            self._parting += 1
            self._parting_tokens += first_seen
            is_shared = life.full_boundary > 0
            self._parting_shared += is_shared
            self._parting_shared_tokens += first_seen if is_shared else 0
            self._parting_since = at if self._parting_since is None else self._parting_since

    def frozen(self) -> Divergence:
        """Return what is known of text behind tokens that differ."""
        is_named, since = self._are_texts_named(), self._scope.since
        early, late = (self._early, self._late) if is_named else (_Behind(), _Behind())
        return Divergence(
            requests=early.requests,
            tokens=early.tokens,
            position=early.position,
            label=self._name_of(early.labels),
            before=self._name_of(early.before),
            since_ns=since(early.since),
            late=late.requests,
            late_tokens=late.tokens,
            late_position=late.position,
            late_label=self._name_of(late.labels),
            late_since_ns=since(late.since),
            is_named=is_named,
            long=self._long,
            long_tokens=self._long_tokens,
            early=self._parting,
            early_tokens=self._parting_tokens,
            early_shared=self._parting_shared,
            early_shared_tokens=self._parting_shared_tokens,
            early_since_ns=since(self._parting_since),
        )

    def _name_of(self, labels: Counter[int]) -> str:
        return self._scope.mirror.labels.get(labels.most_common(1)[0][0], "") if labels else ""
