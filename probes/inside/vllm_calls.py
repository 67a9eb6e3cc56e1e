"""What a call on vLLM's cache manager or its block pool tells, as records."""

from __future__ import annotations

from typing import Any

from cache_core.event_codec import head
from cache_core.events import MATCH_SAMPLE, SPARSE, UNTIMED, CacheReset, Evict, Match
from probes.inside.event_tap import EventTap
from probes.inside.names import Namespaces
from probes.inside.node import Name
from probes.inside.requests import NOBODY, UNKNOWN, RequestReadings, Requests
from probes.inside.seat import CacheSeat
from probes.inside.structure import ROOT
from probes.inside.wrapping import Call

_MATCH = head(Match)
_EVICT = head(Evict, 1)
_RESET = head(CacheReset)

READINGS = RequestReadings(
    name=lambda request: str(request.request_id),
    prompt_tokens=lambda request: int(request.num_prompt_tokens),
    prefix_tokens=lambda request: int(request.num_computed_tokens),
    output_tokens=lambda request: int(request.num_output_tokens),
)
"""How the requests of vLLM are read."""


class Calls:
    """The tellers of one manager and of its pool."""

    def __init__(self, manager: Any, seat: CacheSeat, tap: EventTap | None = None) -> None:
        """`tap` is where its tree comes from, if it has one to tell."""
        self.seat = seat
        self._tap = tap
        self.namespaces = Namespaces(seat.tell)
        self.requests = Requests(seat.tell, self._told_by_nobody, READINGS)
        groups = groups_of(manager)
        self._group_count = len(groups)
        self._block_tokens = getattr(groups[0], "block_size", None) if groups else None
        self._evicted_blocks = 0
        self._bare_matches = 0

    def took_ns(self, call: Call) -> int:
        """Return how long a call took; 0 when durations are not told."""
        return 0 if self.seat.detail >= UNTIMED else max(1, call.ended - call.began)

    def matched(self, call: Call) -> None:
        """Hold back a look-up for the request that it was made for."""
        request = call.argument(0, "request")
        hit = int(call.result[1])
        namespace, name = self.namespaces.number(_Namespace(request)), self._name(request, hit)
        if self._tap is not None:
            self._tap.ends((name,), namespace, call.ended)
        self.requests.matched(
            request,
            Match(
                at=call.ended,
                duration_ns=self.took_ns(call),
                namespace=namespace,
                queried_tokens=int(request.num_tokens),
                device_hit_tokens=hit,
                host_hit_tokens=0,
                full_hit_tokens=hit if self._group_count == 1 else UNKNOWN,
                branching_point=-1,
                nodes_walked=UNKNOWN,
                node=name,  # type: ignore[arg-type]  # until its number is known
                full_node=UNKNOWN,
                request=NOBODY,
            ),
        )

    def _name(self, request: Any, hit_tokens: int) -> Name:
        """Return the name of the last block of a hit, as KV events have it."""
        if self._tap is None or not self._block_tokens:
            return UNKNOWN
        if not hit_tokens:
            return ROOT
        hashes = getattr(request, "block_hashes", ())
        place = hit_tokens // self._block_tokens - 1
        if place >= len(hashes) or not isinstance(hashes[place], bytes):
            return UNKNOWN
        return int.from_bytes(hashes[place][-8:], "big")

    def _take_events(self, call: Call, request: Any = None) -> None:
        """Take what events a call made."""
        if self._tap is not None:
            namespace = 0 if request is None else self.namespaces.number(_Namespace(request))
            self._tap.take(call.instance, namespace, call.ended)

    def _told_by_nobody(self, match: Match) -> None:
        self._bare_matches += 1
        if self.seat.detail < SPARSE or self._bare_matches % MATCH_SAMPLE == 0:
            self.seat.tell((_MATCH, *match))

    def allocated(self, call: Call) -> None:
        """Tell a chunk of a prompt that got its blocks; with the first one a request is admitted."""
        request = call.argument(0, "request")
        computed = int(request.num_computed_tokens)
        is_prefill = call.result is not None and computed < request.num_prompt_tokens  # else a token of the answer
        life = self.requests.admitted(request, call.ended) if is_prefill else None  # what it found was there before
        self._take_events(call, request)
        if life is None:
            return
        life.prefilled_upto += int(call.keywords.get("num_external_computed_tokens") or 0)  # brought by a connector
        upto = max(computed, life.prefilled_upto) + int(call.argument(1, "num_new_tokens"))
        self.requests.written_back(request, upto, call.ended)

    def freed(self, call: Call) -> None:
        """Tell the end of a request, or that it was preempted."""
        request = call.argument(0, "request")
        self._take_events(call, request)
        self.requests.ended(request, bool(request.is_finished()), call.ended)

    def before_blocks(self, call: Call) -> int:
        """Note how many blocks were evicted so far."""
        return self._evicted_blocks

    def evicted(self, call: Call) -> None:
        """Count a block that lost what it held."""
        self._evicted_blocks += bool(call.result)

    def taken_blocks(self, call: Call) -> None:
        """Tell an allocation of blocks that evicted some."""
        victims = self._evicted_blocks - call.note
        if not victims or self._block_tokens is None:
            return
        asked = int(call.argument(0, "num_blocks")) * self._block_tokens
        self.seat.tell(
            (
                _EVICT, call.ended, self.took_ns(call), 0, asked, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, victims,
                UNKNOWN, victims * self._block_tokens,
            )
        )  # fmt: skip

    def emptied(self, call: Call) -> None:
        """Tell that the cache was emptied, if it was."""
        self._take_events(call)
        if call.result:
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


class _Namespace:
    """The namespace of a request as `Namespaces` reads it: its LoRA adapter and its salt."""

    __slots__ = ("cache_salt", "extra_key")

    def __init__(self, request: Any) -> None:
        lora = getattr(request, "lora_request", None)
        self.extra_key = None if lora is None else getattr(lora, "lora_name", "lora")
        self.cache_salt = getattr(request, "cache_salt", None)


def groups_of(manager: Any) -> list[Any]:
    """Return what a manager says of each group of layers that share blocks; nothing where it says nothing."""
    config = getattr(manager, "kv_cache_config", None)
    return [group.kv_cache_spec for group in getattr(config, "kv_cache_groups", None) or ()]
