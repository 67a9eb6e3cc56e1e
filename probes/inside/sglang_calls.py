"""What a call on one of SGLang's caches tells, as records.

Everything is read off parameters and results by name, for versions differ; what a version does not tell is UNKNOWN.
"""

from __future__ import annotations

from typing import Any

from cache_core.event_codec import head
from cache_core.events import MATCH_SAMPLE, SPARSE, UNTIMED, CacheReset, Evict, Insert, Lock, Match, Unlock
from probes.inside.event_tap import EventTap
from probes.inside.names import Namespaces
from probes.inside.requests import NOBODY, UNKNOWN, RequestReadings, Requests
from probes.inside.seat import CacheSeat
from probes.inside.sglang_pools import components_of, protected_names
from probes.inside.structure import ROOT
from probes.inside.wrapping import Call, clock

_EVICT_FIELDS = {
    "full": ("num_tokens", "num_tokens_evicted"),
    "swa": ("swa_num_tokens", "swa_num_tokens_evicted"),
    "mamba": ("mamba_num", "mamba_num_evicted"),
}
"""What was asked of a component, and what it gave."""

_SPLIT_AT = ("last_device_node", "last_host_node", "best_match_node", "last_visited_node_id")
"""The nodes of a match: what goes on behind the end of one was split there."""

_MATCH = head(Match)
_INSERT = head(Insert)
_RESET = head(CacheReset)


class Calls:
    """The tellers of one cache."""

    def __init__(self, cache: Any, seat: CacheSeat, tap: EventTap | None = None) -> None:
        """`tap` is where its tree comes from, if it has one to tell."""
        self.seat = seat
        self._tap = tap
        self.components = components_of(cache)
        self.namespaces = Namespaces(seat.tell)
        self.requests = Requests(seat.tell, self._told_by_nobody, READINGS)
        self.request = NOBODY
        self._protected = protected_names(cache)
        self._page = getattr(cache, "page_size", 1)
        self._evict = head(Evict, len(self.components))
        self._locks = {cls: head(cls, len(self._protected)) for cls in (Lock, Unlock)}
        self._bare_matches = 0

    def took_ns(self, call: Call) -> int:
        """Return how long a call took; 0 when durations are not told."""
        return 0 if self.seat.detail >= UNTIMED else max(1, call.ended - call.began)

    def matched(self, call: Call) -> None:
        """Tell a match, or hold it back for the request that it was made for."""
        params, found = call.argument(0, "params"), call.result
        device, host = device_hit_tokens(found), count(found, "host_hit_length")
        namespace = self.namespaces.number(params.key)
        match = Match(
            at=call.ended,
            duration_ns=self.took_ns(call),
            namespace=namespace,
            queried_tokens=len(params.key),
            device_hit_tokens=device,
            host_hit_tokens=host,
            full_hit_tokens=self._full_hit_tokens(found, device, host),
            branching_point=branching_point(found),
            nodes_walked=UNKNOWN,
            node=self._node(call.instance, getattr(found, "last_device_node", None)) if device or host else ROOT,
            full_node=self._node(call.instance, getattr(found, "last_visited_node_id", None)),
            request=NOBODY,
        )
        if self._tap is not None:
            ends: list[Any] = []
            for node in (getattr(found, name, None) for name in _SPLIT_AT):
                if node is not None and node not in ends:
                    ends.append(node)
            self._tap.ends([self._node(call.instance, node) for node in ends], namespace, call.ended)
        request = getattr(params, "req", None)
        if request is None:
            self._told_by_nobody(match)
        else:
            self.requests.matched(request, match)

    def _full_hit_tokens(self, found: Any, device: int, host: int) -> int:
        """Return how much of the key the tree knows. Where there is full attention alone, all that it knows hits."""
        if len(self.components) == 1:
            return device + max(0, host)
        full = count(found, "full_kv_hit_length")
        return UNKNOWN if full < device else full  # a cache that fills in nothing leaves it at 0

    def _told_by_nobody(self, match: Match) -> None:
        self._bare_matches += 1
        if self.seat.detail < SPARSE or self._bare_matches % MATCH_SAMPLE == 0:
            self.seat.tell((_MATCH, *match))

    def inserted(self, call: Call) -> None:
        """Tell a write-back."""
        params, result = call.argument(0, "params"), call.result
        namespace, node = self.namespaces.number(params.key), getattr(result, "last_device_node", None)
        if self._tap is not None:
            self._tap.take(call.instance, namespace, call.ended, node)
        name = self._node(call.instance, node)
        if self._tap is not None:
            self._tap.ends((name,), namespace, call.ended)
        present = count(result, "prefix_len")
        tokens = len(params.key)
        tokens -= tokens % self._page
        owned = count(params, "prev_prefix_len")
        wanted, kept = getattr(params, "swa_branching_seqlen", None), getattr(result, "swa_branch_inserted", None)
        self.seat.tell(
            (
                _INSERT, call.ended, self.took_ns(call), namespace, tokens, present,
                max(0, tokens - present), max(0, present - owned) if owned >= 0 else UNKNOWN, _swa_from(params),
                UNKNOWN if wanted is None or kept is None else int(kept),
                name, self.request,
            )
        )  # fmt: skip

    def before_evict(self, call: Call) -> tuple[int, int]:
        """Note how many leaves an eviction may look at, and how many nodes there are; only Python trees tell."""
        return leaves_of(call.instance), nodes_of(call.instance)

    def evicted(self, call: Call) -> None:
        """Tell an evict call: a record for each component that was asked.

        What was freed besides, and the nodes and the time that it all took, are in the first one.
        """
        self._take_events(call)
        params, result = call.argument(0, "params"), call.result
        leaves, nodes = call.note
        asked = [count(params, _EVICT_FIELDS[name][0]) for name in self.components]
        freed = [count(result, _EVICT_FIELDS[name][1]) for name in self.components]
        told = [number for number, tokens in enumerate(asked) if tokens > 0] or [0]
        victims = nodes - nodes_of(call.instance) if nodes >= 0 else UNKNOWN
        for position, component in enumerate(told):
            is_first = position == 0
            share = [
                tokens if number == component or (is_first and number not in told) else 0
                for number, tokens in enumerate(freed)
            ]
            self.seat.tell(
                (
                    self._evict, call.ended, self.took_ns(call) if is_first else 0, component, asked[component],
                    leaves if component == 0 else UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, victims if is_first else 0,
                    UNKNOWN, *share,
                )
            )  # fmt: skip

    def before_lock(self, call: Call) -> list[int]:
        """Note how much is protected."""
        return self._protected_tokens(call.instance)

    def locked(self, call: Call) -> None:
        """Tell a lock and what moved."""
        self._moved(Lock, call, +1)

    def unlocked(self, call: Call) -> None:
        """Tell the end of a lock and what moved."""
        self._moved(Unlock, call, -1)

    def _moved(self, cls: type[Lock] | type[Unlock], call: Call, sign: int) -> None:
        argument = call.arguments[0] if call.arguments else next(iter(call.keywords.values()), None)
        node = self._node(call.instance, getattr(argument, "node", argument))
        now = self._protected_tokens(call.instance)
        moved = (sign * (tokens - was) for tokens, was in zip(now, call.note, strict=True))
        self.seat.tell((self._locks[cls], call.ended, node, *moved))

    def _protected_tokens(self, cache: Any) -> list[int]:
        return [int(getattr(cache, name)()) for name in self._protected]

    def begin(self, call: Call) -> int:
        """Note whose request the calls within this one are for; return whose they were."""
        request = call.argument(0, "req")
        self.requests.admitted(request, clock())
        before, self.request = self.request, self.requests.number(request)
        return before

    def break_off(self, call: Call) -> None:
        """Take note that a call for a request raised."""
        self.request = call.note

    def written_back(self, call: Call) -> None:
        """Tell a chunk of a prompt that went into the tree."""
        self.request = call.note
        request = call.argument(0, "req")
        self._take_events(call, request)
        upto = call.keywords.get("up_to")
        self.requests.written_back(request, slots_of(request) if upto is None else int(upto), call.ended)

    def finished(self, call: Call) -> None:
        """Tell the end of a request, or of its stay."""
        self.request = call.note
        request = call.argument(0, "req")
        self._take_events(call, request)
        kept = call.argument(1, "is_insert") if call.argument(1, "is_insert") is not None else True
        kept = call.keywords.get("checkpointed", kept)
        is_finished = getattr(request, "finished_reason", None) is not None or bool(kept)
        self.requests.ended(request, is_finished, call.ended)

    def admitted(self, call: Call) -> None:
        """Tell the admission of a request, if it was admitted."""
        request = call.argument(0, "req")
        chosen = call.instance.can_run_list
        if chosen and chosen[-1] is request:
            self.requests.admitted(request, call.ended)

    def emptied(self, call: Call) -> None:
        """Tell that the cache was emptied."""
        self._take_events(call)
        if self._tap is not None:
            self._tap.emptied(call.instance)
        self.requests.let_go()
        self.seat.tell((_RESET, call.ended))

    def taken(self, call: Call) -> None:
        """Hand the KV events that the engine takes for its publisher to whoever wants a copy."""
        if not call.result:
            return
        if self._tap is not None:
            self._tap.published(call.instance, call.result)
        if self.seat.tee is not None:
            self.seat.tee(call.result)

    def _take_events(self, call: Call, key: Any = None) -> None:
        """Take what events a call for a key, or for a request, made, unless those of one within it were taken."""
        if self._tap is not None and self._tap.taken_at <= call.began:
            self._tap.take(call.instance, self.namespaces.number(key), call.ended or clock())

    def broken(self, call: Call) -> None:
        """Take what events a call made that raised."""
        self._take_events(call)

    def _node(self, cache: Any, node: Any) -> int:
        """Return how a record names a node: by its last block where the tree is told, else by the engine's number."""
        return node_number(node) if self._tap is None else self._tap.names.of(cache, node)  # type: ignore[return-value]


def count(thing: Any, name: str) -> int:
    """Return a count that a thing has, UNKNOWN where it has none."""
    value = getattr(thing, name, None)
    return UNKNOWN if value is None else int(value)


def device_hit_tokens(found: Any) -> int:
    """Return the device hit of a match: a count, or the number of slots."""
    tokens = getattr(found, "device_prefix_len", None)
    return len(found.device_indices) if tokens is None else int(tokens)


def branching_point(found: Any) -> int:
    """Return where the branching point of a match is, -1 without one: that of windows, else that of states."""
    for name in ("swa_branching_seqlen", "mamba_branching_seqlen"):
        position = getattr(found, name, None)
        if position is not None:
            return int(position)
    return -1


def node_number(node: Any) -> int:
    """Return the number of a node, which may be the number itself; UNKNOWN of one that has none."""
    number = node if isinstance(node, int) else getattr(node, "id", None)
    return number if isinstance(number, int) else UNKNOWN


def leaves_of(cache: Any) -> int:
    """Return how many leaves may be evicted, UNKNOWN for a tree that does not tell."""
    for owner, name in ((getattr(cache, "tree_core", None), "evictable_device_leaves"), (cache, "evictable_leaves")):
        leaves = getattr(owner, name, None)
        if leaves is not None:
            return len(leaves)
    return UNKNOWN


def nodes_of(cache: Any) -> int:
    """Return how many nodes the tree has, its root among them; UNKNOWN for a tree that does not tell."""
    nodes = getattr(getattr(cache, "tree_core", None), "_node_arena", None)
    return UNKNOWN if nodes is None else len(nodes)


def slots_of(request: Any) -> int:
    """Return how many leading tokens of a request have slots, UNKNOWN where a version does not tell."""
    tokens = getattr(getattr(request, "kv", None), "kv_committed_len", None)
    if tokens is None:
        filled = getattr(request, "fill_ids", None)
        return UNKNOWN if filled is None else len(filled)
    return int(tokens)


def _swa_from(params: Any) -> int:
    """Return from where on an insert brings window slots, UNKNOWN where that is not told."""
    told = getattr(params, "swa_evicted_seqlen", None)
    if told is None:
        told = next(
            (
                tokens
                for component, tokens in (getattr(params, "component_evicted_seqlens", None) or {}).items()
                if str(getattr(component, "name", component)).lower() == "swa"
            ),
            None,
        )
    return UNKNOWN if told is None else int(told)


def _prefix_tokens(request: Any) -> int:
    """Return how many leading tokens of a request have slots now."""
    tokens = getattr(request, "prefix_len", None)
    return len(request.prefix_indices) if tokens is None else int(tokens)


READINGS = RequestReadings(
    name=lambda request: str(request.rid),
    prompt_tokens=lambda request: len(request.origin_input_ids),
    prefix_tokens=_prefix_tokens,
    output_tokens=lambda request: len(request.output_ids),
)
"""How the requests of SGLang are read."""
