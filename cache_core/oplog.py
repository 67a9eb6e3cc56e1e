"""Replays a recorded operation log through a PrefixCache: it translates operations and holds no tree code.

python -m cache_core.oplog FILE.json [--check]
"""

from __future__ import annotations

import argparse
import json
import sys
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from cache_core.cache import PrefixCache
from cache_core.config import CacheConfig
from cache_core.errors import CacheError, OutOfSlotsError
from cache_core.evictor import EVICTORS
from cache_core.key import RadixKey
from cache_core.lock import LockReceipt
from cache_core.registry import UnknownNameError
from cache_core.request import Request
from cache_core.view import walk

Json = dict[str, Any]
DOCUMENT_TOKENS = 8192
"""How many token ids each document of a log has to itself."""


class Replayer:
    """One log's cache, and the locks and requests that its operations name."""

    def __init__(self, log: Mapping[str, Any], evictor: str = "incremental") -> None:
        self.log = log
        self.cache = PrefixCache(CacheConfig.for_oplog(log["config"], evictor))
        self.receipts: dict[str, LockReceipt] = {}
        self.requests: dict[str, Request] = {}
        self.windowed = self.cache.window is not None

    def run(self) -> Json:
        """Return the outputs, the states and the tree. Raises UnknownNameError for what is no operation."""
        ops: list[Json] = []
        tree: list[list[int]] = []
        for number, op in enumerate(self.log["ops"]):
            operation = OPERATIONS.get(op["op"])
            if operation is None:
                known = ", ".join(OPERATIONS)
                raise UnknownNameError(f"op {number}: unknown operation {op['op']!r}; choose from: {known}")
            ops.append({"out": operation(self, op), "st": self._state()})
            if number == self.log.get("tree_after_op"):
                tree = self._tree()
        return {"id": self.log.get("id"), "ops": ops, "tree": tree}

    def _state(self) -> list[int]:
        stats = self.cache.stats()
        state = []
        for pool in stats["components"].values():
            state += [pool["evictable"], pool["protected"], pool["free"]]
        return [*state, stats["nodes"]]

    def _tree(self) -> list[list[int]]:
        rows: list[list[int]] = []
        index = {0: -1}
        for node in walk(self.cache):
            index[node.id] = len(rows)
            row = [
                index[node.parent],
                node.start,
                node.end,
                node.first_token,
                node.locks[0],
                node.hits,
                node.priority,
            ]
            rows.append([*row, int(node.live[1]), node.locks[1]] if self.windowed else row)
        return rows

    def _hit(self, hit: int, full: int, branch: int | None) -> Json:
        return {"hit": hit, "full": full, "branch": branch} if self.windowed else {"hit": hit}

    def _match(self, op: Json) -> Json:
        found = self.cache.match(_key(op))
        return self._hit(found.hit_tokens, found.full_hit_tokens, found.branching_point)

    def _lock(self, op: Json) -> Json:
        found = self.cache.match(_key(op))
        self.receipts[op["id"]] = self.cache.lock(found.node)
        return self._hit(found.hit_tokens, found.full_hit_tokens, found.branching_point)

    def _unlock(self, op: Json) -> Json:
        self.cache.unlock(self.receipts.pop(op["id"]))
        return {}

    def _start(self, op: Json) -> Json:
        request = self.cache.admit(_key(op), op["prio"])
        self.requests[op["rid"]] = request
        return self._hit(request.hit_tokens, request.full_hit_tokens, request.branching_point)

    def _prefill(self, op: Json) -> Json:
        request = self.requests[op["rid"]]
        try:
            request.prefill(op["upto"], op.get("cache", True))
        except OutOfSlotsError:
            return {"oom": True}
        out = {"prot": request.protected_tokens}
        return out | self._freed(request)

    def _freed(self, request: Request) -> Json:
        return {"swa_freed_to": max(request.protected_tokens, request.window_from)} if self.windowed else {}

    def _decode(self, op: Json) -> Json:
        request = self.requests[op["rid"]]
        done = 0
        try:
            for token in _tokens([[op["doc"], op["from"], op["from"] + op["n"]]]):
                request.decode(token)
                done += 1
        except OutOfSlotsError:
            pass
        return {"done": done, "oom": done < op["n"]} | self._freed(request)

    def _release_swa(self, op: Json) -> Json:
        return {"released": self.requests[op["rid"]].release_window()}

    def _finish(self, op: Json) -> Json:
        self.requests.pop(op["rid"]).finish(op["insert"])
        return {}

    def _abort(self, op: Json) -> Json:
        self.requests.pop(op["rid"]).retract()
        return {}

    def _evict(self, op: Json) -> Json:
        gone = self.cache.evict(op["full"], op.get("swa", 0))
        freed = {"full": gone.full_tokens}
        return freed | {"swa": gone.swa_tokens} if self.windowed else freed


OPERATIONS: dict[str, Callable[[Replayer, Json], Json]] = {
    "match": Replayer._match,
    "lock": Replayer._lock,
    "unlock": Replayer._unlock,
    "start": Replayer._start,
    "prefill": Replayer._prefill,
    "decode": Replayer._decode,
    "release_swa": Replayer._release_swa,
    "finish": Replayer._finish,
    "abort": Replayer._abort,
    "evict": Replayer._evict,
}
"""What a log may ask for, by name."""


def _tokens(segments: Sequence[Sequence[int]]) -> array[int]:
    tokens = array("i")
    for document, start, end in segments:
        base = document * DOCUMENT_TOKENS + 1
        tokens.extend(range(base + start, base + end))
    return tokens


def _key(op: Json) -> RadixKey:
    return RadixKey(_tokens(op["key"]), extra_key=op["ns"])


def replay(log: Mapping[str, Any], evictor: str = "incremental") -> Json:
    """Return what our cache does for the operations of a log, in the log's own field order."""
    return Replayer(log, evictor).run()


def check(log: Mapping[str, Any], evictor: str = "incremental") -> str | None:
    """Replay a log and return the first difference from what it recorded, or None."""
    ours = replay(log, evictor)
    for number, (op, got) in enumerate(zip(log["ops"], ours["ops"], strict=True)):
        for field in ("out", "st"):
            if op[field] != got[field]:
                return f"op {number} ({op['op']}), {field}: expected {op[field]}, got {got[field]}"
    for row, (expected, found) in enumerate(zip(log["tree"], ours["tree"], strict=False)):
        if expected != found:
            return f"tree row {row}: expected {expected}, got {found}"
    if len(log["tree"]) != len(ours["tree"]):
        return f"tree: expected {len(log['tree'])} rows, got {len(ours['tree'])}"
    return None


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the replay of a log as JSON, or with --check the first difference; exit 1 on one, 2 on bad input."""
    parser = argparse.ArgumentParser(prog="python -m cache_core.oplog", description="Replay an operation log.")
    parser.add_argument("file")
    parser.add_argument("--check", action="store_true", help="compare with what the log recorded")
    parser.add_argument("--evictor", choices=tuple(EVICTORS), default="incremental")
    options = parser.parse_args(arguments)
    try:
        with open(options.file, encoding="utf-8") as file:
            log = json.load(file)
        difference = check(log, options.evictor) if options.check else None
        document = None if options.check else replay(log, options.evictor)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, CacheError) as error:
        sys.stderr.write(f"{options.file}: no operation log that can be replayed: {error!r}\n")
        return 2
    if document is not None:
        sys.stdout.write(json.dumps(document) + "\n")
    if difference is not None:
        sys.stderr.write(f"{options.file}: {difference}\n")
    return int(difference is not None)


if __name__ == "__main__":
    sys.exit(main())
