"""Replays an operation log (the format of `cache_core.oplog`) on one of SGLang's caches.

What an operation returned and the state after it are read from SGLang itself; nothing is computed here.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any

from cache_core.bench.sglang.modules import Modules
from cache_core.bench.sglang.pools import Built, Shape, build
from cache_core.bench.sglang.requests import OutOfRoomError, scheduler
from cache_core.oplog import DOCUMENT_TOKENS

Json = dict[str, Any]


class Replay:
    """One log's cache, and the locks and requests that its operations name."""

    def __init__(self, sglang: Modules, log: Mapping[str, Any], core: str) -> None:
        config = log["config"]
        size = config["size_full"]
        shape = Shape(
            config["page_size"], config.get("window"), size, config.get("size_swa", size), config["policy"], 2 * size
        )
        self.log = log
        self.sglang = sglang
        self.built: Built = build(sglang, shape, core)
        self.life = scheduler(sglang, self.built)
        self.windowed = shape.window is not None
        self.locks: dict[str, tuple[Any, Any]] = {}
        self.requests: dict[str, Any] = {}

    def run(self) -> Json:
        """Run every operation and return what each gave, and the state after it; nodes are None if unknown.

        An operation that fails is the last one: what follows may rest on it.
        """
        ops: list[Json] = []
        for op in self.log["ops"]:
            try:
                outcome = getattr(self, f"_{op['op']}")(op)
            except Exception as error:  # noqa: BLE001 - whatever it was, it is what this cache made of the operation
                ops.append({"out": {"error": f"{type(error).__name__}: {error}"}, "st": []})
                break
            ops.append({"out": outcome, "st": self._state()})
        return {"id": self.log.get("id"), "ops": ops}

    def _state(self) -> list[int | None]:
        cache, free = self.built.cache, self.built.free_slots()
        if not self.windowed:
            return [int(cache.evictable_size()), int(cache.protected_size()), free[0], self.built.nodes()]
        return [
            int(cache.full_evictable_size()), int(cache.full_protected_size()), free[0],
            int(cache.swa_evictable_size()), int(cache.swa_protected_size()), free[1], self.built.nodes(),
        ]  # fmt: skip

    def _found(self, hit: int, full: int, branch: int | None) -> Json:
        return {"hit": hit, "full": full, "branch": branch} if self.windowed else {"hit": hit}

    def _look_up(self, op: Json) -> tuple[Any, Json]:
        key = self.sglang.radix_key(_tokens(op["key"]), op["ns"])
        found = self.built.cache.match_prefix(self.sglang.base.MatchPrefixParams(key=key))
        hit = self.life.hit_tokens(found)
        return found, self._found(hit, int(found.full_kv_hit_length), found.swa_branching_seqlen)

    def _match(self, op: Json) -> Json:
        return self._look_up(op)[1]

    def _lock(self, op: Json) -> Json:
        found, out = self._look_up(op)
        node = found.last_device_node
        self.locks[op["id"]] = node, self.built.cache.inc_lock_ref(node).to_dec_params()
        return out

    def _unlock(self, op: Json) -> Json:
        self.built.cache.dec_lock_ref(*self.locks.pop(op["id"]))
        return {}

    def _start(self, op: Json) -> Json:
        request = self.life.request(_tokens(op["key"]), op["ns"], op["prio"])
        self.life.start(request)
        self.requests[op["rid"]] = request
        hit, branch = self.life.cached_tokens(request), request.swa_branching_seqlen
        return self._found(hit, hit if branch is None else int(branch), branch)

    def _prefill(self, op: Json) -> Json:
        request, upto = self.requests[op["rid"]], op["upto"]
        try:
            self.life.extend(request, upto)
        except OutOfRoomError:
            return {"oom": True}
        if op.get("cache", True):
            self.life.write_back(request, chunked=upto < len(request.origin_input_ids))
        else:
            self.life.keep(request, upto)
        return {"prot": self.life.protected_tokens(request), **self._freed(request)}

    def _freed(self, request: Any) -> Json:
        if not self.windowed:
            return {}
        return {"swa_freed_to": max(self.life.protected_tokens(request), self.life.window_from(request))}

    def _decode(self, op: Json) -> Json:
        request = self.requests[op["rid"]]
        done = 0
        try:
            for token in _tokens([[op["doc"], op["from"], op["from"] + op["n"]]]):
                self.life.slide(request)
                self.life.decode(request, [token])
                done += 1
        except OutOfRoomError:
            pass
        return {"done": done, "oom": done < op["n"], **self._freed(request)}

    def _release_swa(self, op: Json) -> Json:
        return {"released": self.life.release_window(self.requests[op["rid"]])}

    def _finish(self, op: Json) -> Json:
        self._end(self.requests.pop(op["rid"]), op["insert"])
        return {}

    def _abort(self, op: Json) -> Json:
        self._end(self.requests.pop(op["rid"]), False)
        return {}

    def _end(self, request: Any, insert: bool) -> None:
        """End a request; one that never got slots has nothing that could be inserted or released."""
        if request.kv.holds_kv:
            self.life.finish(request, insert)
        else:
            self.life.abandon(request)

    def _evict(self, op: Json) -> Json:
        asked = self.sglang.base.EvictParams(num_tokens=op["full"], swa_num_tokens=op.get("swa", 0))
        gone = self.built.cache.evict(asked)
        freed = {"full": int(gone.num_tokens_evicted)}
        return {**freed, "swa": int(gone.swa_num_tokens_evicted)} if self.windowed else freed


def _tokens(segments: list[list[int]]) -> array[int]:
    tokens = array("q")
    for document, start, end in segments:
        base = document * DOCUMENT_TOKENS + 1
        tokens.extend(range(base + start, base + end))
    return tokens
