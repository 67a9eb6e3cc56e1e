"""The second reading of a recording to be replayed: each record becomes the operations that it tells of.

An insert of a request is part of a prefill that is told next, part of its end, or a write-back of its own; which one
is known when the next record comes. Outputs are not here: no record tells when one came (`profiles.replay.outputs`).
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

from cache_core import events
from cache_core.events import Record
from probes.fold import Folds
from probes.mirror import Mirror
from profiles.replay.evict_calls import EvictCalls
from profiles.replay.made_up import MadeUp
from profiles.replay.operations import Admit, Finish, Lock, Look, Operation, Prefill, Reset, Retract, Unlock, Write
from profiles.replay.stated import Stated
from profiles.replay.survey import NO_KEY, Survey

_QUIET = frozenset({
    events.NodeSplit, events.NodeRemoved, events.Tombstoned, events.Recovered, events.NodeTouched,
    events.NodeLabelled, events.NodeMarked, events.NodeForked, events.NodeTokenKeys, events.NodeTiers,
    events.Namespace, events.Label, events.Pool, events.Transfers, events.Timing, events.ProbeCost,
    events.EvictionCause,
})  # fmt: skip
"""Records that ask for nothing and may come anywhere."""

_BETWEEN = (events.Lock, events.Unlock, events.FreeWindow)
"""What comes between the insert of a request and the record that says what the insert was part of."""

_COMPLETING = (events.Insert, events.RequestPrefilled, events.RequestFinished)
"""The records of a request that say what an insert of it right before them was part of."""


@dataclass(slots=True)
class Life:
    """A request from its admission to its end. `length` tokens have slots; `outputs` are those of its key."""

    number: int
    prompt_tokens: int
    length: int
    outputs: array[int]
    outputs_left: int
    tail: int
    inserted: bool = False
    decoded: int = 0

    @property
    def is_computed(self) -> bool:
        """Whether the whole prompt has slots."""
        return self.length >= self.prompt_tokens


@dataclass(frozen=True, slots=True)
class Limits:
    """The page, and the longest key: what asks for more is nonsense that no cache of this size was ever asked.

    `bare` says that nobody admitted a request, so that locks and evict calls are the caller's own.
    """

    most_tokens: int
    page: int = 1
    bare: bool = False


class Translation:
    """Turns records into operations; `take` returns those that one record made certain."""

    def __init__(self, mirror: Mirror, survey: Survey, made_up: MadeUp, limits: Limits) -> None:
        self._mirror = mirror
        self._survey = survey
        self._made_up = made_up
        self._limits = limits
        self._stated = Stated(mirror, made_up, limits.most_tokens)
        self._evictions = EvictCalls()
        self._of_request: dict[int, Life] = {}
        self._admitted = 0
        self._write_back: Life | None = None
        self._inserted_at = 0
        self._filled_branch = False
        self._out: list[Operation] = []
        self.lives: dict[int, Life] = {}
        """By its number, every life; who passes the end of one on takes it out."""
        self._folds: Folds = {
            events.Match: self._match, events.Insert: self._insert, events.RequestAdmitted: self._admit,
            events.RequestPrefilled: self._prefilled, events.RequestFinished: self._finished,
            events.RequestRetracted: self._retracted, events.CacheReset: self._reset,
        }  # fmt: skip
        if limits.bare:
            self._folds = {**self._folds, events.Lock: self._lock, events.Unlock: self._unlock,
                           events.Evict: self._evictions.take}  # fmt: skip

    def take(self, record: Record) -> list[Operation]:
        """Take in one record."""
        kind = type(record)
        if kind is events.NodeAdded:
            self._stated.added(record)  # type: ignore[arg-type]
            return []
        if kind in _QUIET:
            self._mirror.apply(record)
            return []
        self._out = self._stated.unexplained(record)
        self._settle(record)
        fold = self._folds.get(kind)
        if fold is not None:
            fold(record)
        self._mirror.apply(record)
        return self._out

    def rest(self) -> list[Operation]:
        """Return what the end of the stream makes certain."""
        self._out = self._stated.unexplained(None)
        self._settle(None)
        return self._out

    def _settle(self, record: Record | None) -> None:
        """Pass on what waited for this record: an evict call, and a write-back unless it was part of the end."""
        if not isinstance(record, events.Evict):
            self._out += self._evictions.ended()
        life = self._write_back
        if life is None or isinstance(record, _BETWEEN):
            return
        goes_on = record.request if isinstance(record, _COMPLETING) else -1
        if self._of_request.get(goes_on) is not life:
            self._tell_write_back(life)

    def _tell_write_back(self, life: Life) -> None:
        self._write_back = None
        self._out.append(Prefill(self._inserted_at, life.number, life.length, True, 0))

    def _admit(self, record: events.RequestAdmitted) -> None:
        number, self._admitted = self._admitted, self._admitted + 1
        prompt = record.prompt_tokens
        if not 0 < prompt <= self._limits.most_tokens:
            return
        known = self._survey.keys[number]
        outputs_left = min(self._survey.outputs[number], self._limits.most_tokens)
        wanted = prompt + outputs_left
        content = self._made_up.prefix(None if known == NO_KEY else known, wanted)
        tail = self._made_up.fresh()
        key = content[:prompt]
        key.extend(array("i", [tail]) * (prompt - len(key)))
        hit = record.device_hit_tokens + record.host_hit_tokens
        life = Life(number, prompt, record.device_hit_tokens, content[prompt:], outputs_left, tail)
        self._of_request[record.request] = self.lives[number] = life
        priority = self._survey.priorities[number]
        self._out.append(Admit(record.at, number, key.tobytes(), priority, hit))

    def _prefilled(self, record: events.RequestPrefilled) -> None:
        life = self._of_request.get(record.request)
        if life is None:
            return
        loaded = max(0, record.host_hit_tokens)
        start = max(life.length, record.device_hit_tokens + loaded)
        life.length = min(life.prompt_tokens, start + max(0, record.new_tokens))
        writes_back = life.inserted or self._write_back is life
        self._out.append(Prefill(record.at, life.number, life.length, writes_back, loaded))
        life.inserted, self._write_back = False, None

    def _finished(self, record: events.RequestFinished) -> None:
        life = self._of_request.pop(record.request, None)
        self._write_back = None  # if it waits, it was part of the end
        if life is not None:
            self._out.append(Finish(record.at, life.number))

    def _retracted(self, record: events.RequestRetracted) -> None:
        life = self._of_request.pop(record.request, None)
        if life is not None:
            reason = record.reason if record.reason in events.REASONS and record.reason else events.ABORTED
            self._out.append(Retract(record.at, life.number, reason))

    def _match(self, record: events.Match) -> None:
        if record.request >= 0:
            return
        node = self._mirror.nodes.get(record.full_node)
        if node is None:
            return
        key = node.content_key if node.parent is not None else None
        tokens = min(record.queried_tokens, node.end + self._limits.page)
        if 0 < tokens <= self._limits.most_tokens + self._limits.page:
            made = self._made_up.whole(key, tokens).tobytes()
            hit = record.device_hit_tokens + record.host_hit_tokens
            self._out.append(Look(record.at, made, self._content(record.node), hit))

    def _insert(self, record: events.Insert) -> None:
        if record.request < 0:
            self._write(record)
            return
        life = self._of_request.get(record.request)
        if life is None:
            return
        if self._write_back is life and not self._filled_branch:  # this insert is part of another call
            self._tell_write_back(life)
        self._write_back = None
        if record.key_tokens <= life.length:
            self._write_back, self._inserted_at = life, record.at
            self._filled_branch = record.branch_inserted == 1
        else:
            life.inserted = True

    def _write(self, record: events.Insert) -> None:
        node = self._mirror.nodes.get(record.node)
        if node is None or node.parent is None or not 0 < node.end <= self._limits.most_tokens:
            return
        made = self._made_up.whole(node.content_key, node.end).tobytes()
        owned = max(0, record.present_tokens - record.duplicate_tokens)
        swa_from = max(0, min(record.swa_from, node.end))
        self._out.append(Write(record.at, made, node.content_key, owned, swa_from))

    def _lock(self, record: events.Lock) -> None:
        self._out.append(Lock(record.at, self._content(record.node)))

    def _unlock(self, record: events.Unlock) -> None:
        self._out.append(Unlock(record.at, self._content(record.node)))

    def _reset(self, record: events.CacheReset) -> None:
        self._out.append(Reset(record.at))

    def _content(self, id_: int) -> int:
        """Return the content key of a node, NO_KEY for the root and for one that is not known."""
        node = self._mirror.nodes.get(id_)
        return NO_KEY if node is None or node.parent is None else node.content_key
