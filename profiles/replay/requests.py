"""The requests of a recording, each once, with made-up tokens: what a load asked for, whatever its cache made of it.

A request that was retracted and came back is one request: its last life knows the most of its content. Content that
left and came back is known again to its last mark or cut; where the source names its text, and not only what it is
for, to the end of that text:

    marks      ...|---------|---------|---------|
    one        ...---- system prompt -----)[-- question 1 --)
    other      ...---- system prompt -----)[-- question 2 --)
                            ^ known    ^ the same text, and it ends here: the same tokens
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from cache_core.events import (
    Insert,
    Match,
    Namespace,
    RequestAdmitted,
    RequestFinished,
    RequestQueued,
    RequestRetracted,
)
from probes.mirror import Mirror
from profiles.evidence.segments import Segment, segments_of
from profiles.forest import TOP
from profiles.profile import Profile
from profiles.replay.made_up import MadeUp
from profiles.replay.survey import NO_KEY, Survey
from profiles.replay.synthetic import most_tokens, page_of


class RecordedRequest(NamedTuple):
    """When it came, its prompt, and what was said: `outputs` has the tokens that took a slot.

    `namespace` is the name of its namespace, None without one.
    """

    at: int
    prompt: array[int]
    outputs: array[int]
    priority: int
    namespace: str | None = None


@dataclass(slots=True)
class _Open:
    at: int
    prompt_tokens: int
    life: int
    life_prompt_tokens: int
    namespace: int = 0
    node: int = -1


class RecordedRequests:
    """Reads a recording twice. Raises RecordingError for a profile without records."""

    def __init__(self, profile: Profile) -> None:
        self._survey = Survey(Mirror(profile.components), page=page_of(profile.config))
        self._survey.take(profile.records())
        self._made_up = MadeUp(self._survey.cuts, pairs=profile.config.get("bigram") is True)
        self._profile = profile
        self._mirror = Mirror(profile.components)
        self._texts: dict[tuple[int, int], dict[int | None, int]] = {}
        self._named: dict[int, tuple[int, int]] = {}
        self._arrived: dict[int, int] = {}
        self._alive: dict[int, _Open] = {}
        self._spaces: dict[int, int] = {}
        self._names: dict[int, str] = {}
        self._most_tokens = most_tokens(profile.config)
        self._lives = 0

    def requests(self) -> list[RecordedRequest]:
        """Return the requests in the order in which they came."""
        return sorted(self.as_they_ended(), key=lambda request: request.at)

    def as_they_ended(self) -> Iterator[RecordedRequest]:
        """Yield the requests in the order in which they ended, once; those that did not end come last."""
        for record in self._profile.records():
            self._mirror.apply(record)
            if isinstance(record, Namespace):
                self._names[record.id] = record.text
            elif isinstance(record, Match):
                self._spaces[record.request] = record.namespace
            elif isinstance(record, RequestQueued):
                self._arrived.setdefault(record.request, record.at)
            elif isinstance(record, RequestAdmitted):
                self._admit(record)
            elif isinstance(record, Insert):
                opened = self._alive.get(record.request)
                if opened is not None:
                    opened.node = record.node
            elif isinstance(record, RequestFinished | RequestRetracted):
                self._arrived.pop(record.request, None)
                if isinstance(record, RequestFinished) and record.request in self._alive:
                    yield self._made(self._alive.pop(record.request), record.output_tokens)
        for opened in self._alive.values():
            yield self._made(opened, 0)

    def _admit(self, record: RequestAdmitted) -> None:
        opened = self._alive.get(record.request)
        space = self._spaces.pop(record.request, 0)
        if not 0 < record.prompt_tokens <= self._most_tokens:  # nonsense that no cache of this size was asked
            self._alive.pop(record.request, None)
        elif opened is None:
            at = self._arrived.pop(record.request, record.at)
            tokens = record.prompt_tokens
            self._alive[record.request] = _Open(at, tokens, self._lives, tokens, space)
        else:
            opened.life, opened.life_prompt_tokens = self._lives, record.prompt_tokens
        self._lives += 1

    def _made(self, opened: _Open, outputs: int) -> RecordedRequest:
        said = max(0, opened.life_prompt_tokens + min(outputs, self._most_tokens) - opened.prompt_tokens)
        key = self._survey.keys[opened.life]
        wanted = opened.prompt_tokens + said
        content = self._made_up.prefix(None if key == NO_KEY else key, wanted)
        content.extend(array("i", [self._made_up.fresh()]) * (wanted - len(content)))
        named = segments_of(self._mirror, opened.node, wanted)
        segments = [each for each in named if each.label not in self._survey.role_labels]
        if key != NO_KEY:
            self._name_texts(content, self._survey.cuts.rows.get(key, TOP), segments)
        priority = self._survey.priorities[opened.life]
        prompt, answer = content[: opened.prompt_tokens], content[opened.prompt_tokens :]
        return RecordedRequest(opened.at, prompt, answer, priority, self._names.get(opened.namespace))

    def _name_texts(self, content: array[int], last: int, segments: list[Segment]) -> None:
        """Let the end of a text that begins above a stretch be the same wherever the same text goes on there.

        The last text of all may go on behind what was stored: where it ends is not known.
        """
        cuts = self._survey.cuts
        for row in cuts.up(last):
            start, end = cuts.start(row), min(cuts.end(row), len(content))
            if row not in self._named:  # whoever comes by later has the same tokens there
                text = next((each for each in segments if each.start < start < each.end <= end), None)
                self._named[row] = 0, start
                if text is not None:
                    text_end = None if text is segments[-1] else text.end
                    self._named[row] = self._token_of((cuts.parents[row], text.label), text_end), text.end
            token, named_to = self._named[row]
            content[start:named_to] = array("i", [token]) * (min(named_to, len(content)) - start)

    def _token_of(self, name: tuple[int, int], end: int | None) -> int:
        """Return the token of a text below a row that ends at a position, or at one that is not known."""
        known = self._texts.setdefault(name, {})
        if end not in known:
            if end is None and known:
                known[end] = next(iter(known.values()))
            else:
                open_token = known.pop(None) if None in known else self._made_up.fresh()
                known[end] = open_token
        return known[end]
