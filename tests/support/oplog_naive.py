"""Replays an operation log on the naive model, which shows that the model is what the logs recorded."""

from __future__ import annotations

from typing import Any

from tests.support.naive_cache import NaiveCache
from tests.support.naive_request import NaiveRequest
from tests.support.naive_results import NaiveConfig, NaiveHit, NaiveLock
from tests.support.naive_tree import Node, Tokens

Log = dict[str, Any]


def expand(key: list[list[int]]) -> Tokens:
    """Turn the segments of a key into its tokens."""
    return tuple(doc * 8192 + position + 1 for doc, start, end in key for position in range(start, end))


def naive_config(log: Log) -> NaiveConfig:
    """The model's configuration for a log: every switch as the logs were recorded."""
    config = log["config"]
    return NaiveConfig(
        page=config["page_size"],
        window=config.get("window"),
        full_slots=config["size_full"],
        swa_slots=config.get("size_swa", 0),
        policy=config["policy"],
        hit_rule=config["hit_rule"],
        swa_free_interval=1,
        split_recency="reference",
        finish_branch="branch",
    )


class NaiveReplay:
    """One log's operations, translated to the naive model."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.swa = log["cache"] == "full+swa"
        self.cache = NaiveCache(naive_config(log))
        self.locks: dict[str, NaiveLock] = {}
        self.requests: dict[str, NaiveRequest] = {}

    def run(self) -> Log:
        """Replay every operation and return the document that `cache_core.oplog` would print."""
        ops, tree = [], []
        for number, op in enumerate(self.log["ops"]):
            ops.append({"out": getattr(self, "do_" + op["op"])(op), "st": self.state()})
            if number == self.log["tree_after_op"]:
                tree = self.tree()
        return {"id": self.log["id"], "ops": ops, "tree": tree}

    def state(self) -> list[int]:
        """The state after an operation, in the order of `state_fields`."""
        full_evictable, full_protected, swa_evictable, swa_protected = self.cache.pool_tokens()
        state = {
            "full_evictable": full_evictable,
            "full_protected": full_protected,
            "full_avail": self.cache.full_free,
            "swa_evictable": swa_evictable,
            "swa_protected": swa_protected,
            "swa_avail": self.cache.swa_free,
            "nodes": len(self.cache.nodes()),
        }
        return [state[field] for field in self.log["state_fields"]]

    def tree(self) -> list[list[int]]:
        """The rows of the tree, preorder, siblings by namespace and first page."""
        rows: list[list[int]] = []
        for ns in sorted(self.cache.roots, key=lambda name: (name is not None, name)):
            self.add_rows(self.cache.roots[ns], -1, 0, rows)
        return rows

    def add_rows(self, parent: Node, parent_row: int, start: int, rows: list[list[int]]) -> None:
        """Append the rows below `parent`, which ends at `start`."""
        for node in sorted(parent.children, key=lambda child: child.tokens[: self.cache.page]):
            row = [parent_row, start, start + len(node), node.tokens[0], node.full_lock, node.hits, node.priority]
            rows.append([*row, int(node.live), node.swa_lock] if self.swa else row)
            self.add_rows(node, len(rows) - 1, start + len(node), rows)

    def hit(self, found: NaiveHit) -> Log:
        """The `out` of an operation that matched."""
        if not self.swa:
            return {"hit": found.hit}
        return {"hit": found.hit, "full": found.full, "branch": found.branch}

    # ---- operations, by name

    def do_match(self, op: Log) -> Log:
        return self.hit(self.cache.match(expand(op["key"]), op["ns"]))

    def do_lock(self, op: Log) -> Log:
        found = self.cache.match(expand(op["key"]), op["ns"])
        self.locks[op["id"]] = self.cache.lock(found.node)
        return self.hit(found)

    def do_unlock(self, op: Log) -> Log:
        self.cache.unlock(self.locks.pop(op["id"]))
        return {}

    def do_start(self, op: Log) -> Log:
        request = NaiveRequest(self.cache, expand(op["key"]), op["ns"], op["prio"])
        self.requests[op["rid"]] = request
        return self.hit(request.start)

    def frontier(self, request: NaiveRequest) -> Log:
        """The output field that only a cache with a window has."""
        return {"swa_freed_to": max(request.owned, request.swa_from)} if self.swa else {}

    def do_prefill(self, op: Log) -> Log:
        request = self.requests[op["rid"]]
        if not request.prefill(op["upto"], op.get("cache", True)):
            return {"oom": True}
        return {"prot": request.owned, **self.frontier(request)}

    def do_decode(self, op: Log) -> Log:
        request, done = self.requests[op["rid"]], 0
        outputs = expand([[op["doc"], op["from"], op["from"] + op["n"]]])
        while done < op["n"] and request.decode(outputs[done]):
            done += 1
        return {"done": done, "oom": done < op["n"], **self.frontier(request)}

    def do_release_swa(self, op: Log) -> Log:
        return {"released": self.requests[op["rid"]].release_window()}

    def do_finish(self, op: Log) -> Log:
        self.requests.pop(op["rid"]).finish(op["insert"])
        return {}

    def do_abort(self, op: Log) -> Log:
        self.requests.pop(op["rid"]).finish(insert=False)
        return {}

    def do_evict(self, op: Log) -> Log:
        gone = self.cache.evict(op["full"], op.get("swa", 0))
        return {"full": gone.full, "swa": gone.swa} if self.swa else {"full": gone.full}


def first_difference(log: Log, replayed: Log) -> str | None:
    """Say where the replay departs from the log, or None."""
    for number, (op, ours) in enumerate(zip(log["ops"], replayed["ops"], strict=True)):
        for field in ("out", "st"):
            if op[field] != ours[field]:
                what = {k: v for k, v in op.items() if k not in ("out", "st")}
                return f"{log['id']} op {number} {what}: {field} expected {op[field]}, got {ours[field]}"
    for row, (expected, got) in enumerate(zip(log["tree"], replayed["tree"], strict=False)):
        if expected != got:
            return f"{log['id']} tree row {row}: expected {expected}, got {got}"
    if len(log["tree"]) != len(replayed["tree"]):
        return f"{log['id']} tree: expected {len(log['tree'])} rows, got {len(replayed['tree'])}"
    return None
