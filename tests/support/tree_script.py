"""Writes the records of a small cache by hand: letters stand for tokens, names for segments.

`Script` is a radix tree with the life of a cache: insert, match, evict, reset. It decides nothing; a test says what
happens, and the records come out in the order in which a cache writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

from cache_core.events import (
    CacheReset,
    Label,
    Match,
    Namespace,
    NodeAdded,
    NodeLabelled,
    NodeRemoved,
    NodeSplit,
    Record,
    RequestAdmitted,
    RequestPrefilled,
    Tombstoned,
)


def content_key(text: str, namespace: str = "") -> int:
    """The key of the content `text`: of its namespace and every token from the start."""
    content = f"{namespace}|{text}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little", signed=True)


@dataclass
class Node:
    id: int
    start: int
    text: str  # from the root on
    children: dict[str, Node] = field(default_factory=dict)

    @property
    def length(self) -> int:
        return len(self.text) - self.start


@dataclass
class Script:
    """A cache that only writes records. `segments` of a text are (start, name)."""

    namespace: str = ""
    records: list[Record] = field(default_factory=list)
    root: Node = field(default_factory=lambda: Node(0, 0, ""))
    labels: dict[str, int] = field(default_factory=dict)
    text_of: dict[int, str] = field(default_factory=dict)  # by content key, of every node that ever was
    first_id: int = 1
    _ids: int = 0
    _requests: int = 0

    @property
    def namespace_id(self) -> int:
        return content_key("", self.namespace) if self.namespace else 0

    def nodes(self) -> Iterator[Node]:
        """Every node but the root, as they are now."""
        waiting = list(self.root.children.values())
        while waiting:
            yield (node := waiting.pop())
            waiting += node.children.values()

    def insert(self, text: str, segments: tuple[tuple[int, str], ...] = ()) -> None:
        """Put `text` into the tree, splitting where it parts from what is there."""
        if self.namespace and not self.records:
            self.records.append(Namespace(self.namespace_id, self.namespace))
        node = self._descend(text)
        if len(node.text) < len(text):
            child = Node(self._new_id(), len(node.text), text)
            node.children[text[child.start]] = child
            self.records.append(
                NodeAdded(
                    1, child.id, node.id, child.start, child.length, self._key(text), self.namespace_id, 3, 0, 0, 0, 1
                )
            )
            self._label(child, segments)

    def known_tokens(self, text: str) -> int:
        """Return how far the tree knows `text`; the match ends on a cut."""
        return len(self._descend(text).text)

    def request(self, text: str, hit: int, full_hit: int | None = None, on_host: int = 0, loaded: int = 0) -> None:
        """A request is admitted; `hit` tokens are reused and those up to `full_hit` computed again.

        Of the latter `on_host` more than the hit were found on the host, and `loaded` of these are reused after all.
        """
        full_hit = hit if full_hit is None else full_hit
        node, full_node = (self._descend(text[:tokens]) for tokens in (hit, full_hit))
        self._requests += 1
        new = len(text) - full_hit
        self.records += [
            Match(
                1, 1, self.namespace_id, len(text), hit, on_host, full_hit, -1, 1, node.id, full_node.id,
                self._requests,
            ),
            RequestAdmitted(1, self._requests, len(text), hit, on_host, full_hit - hit - on_host, new, 0, 0),
        ]  # fmt: skip
        if on_host:
            self.records.append(RequestPrefilled(1, self._requests, len(text), hit, loaded, 0, new, 0, 0))

    def evict(self, text: str) -> None:
        """The leaf that ends `text` leaves."""
        above = self._path(text)[-2]
        leaf = above.children[text[len(above.text)]]
        assert leaf.text == text
        assert not leaf.children
        del above.children[text[leaf.start]]
        self.records.append(NodeRemoved(1, leaf.id))

    def tombstone(self, text: str, component: int = 1) -> None:
        self.records.append(Tombstoned(1, self._path(text)[-1].id, component))

    def reset(self) -> None:
        self.root = Node(0, 0, "")
        self.records.append(CacheReset(1))

    def _path(self, text: str) -> list[Node]:
        path = [self.root]
        while len(path[-1].text) < len(text):
            path.append(path[-1].children[text[len(path[-1].text)]])
        return path

    def _descend(self, text: str) -> Node:
        """Return the deepest node whose text begins `text`; a node that goes on otherwise is split."""
        node = self.root
        while len(node.text) < len(text) and (child := node.children.get(text[len(node.text)])):
            shared = child.start
            while shared < min(len(text), len(child.text)) and child.text[shared] == text[shared]:
                shared += 1
            if shared < len(child.text):
                child = self._split(node, child, shared)
            node = child
        return node

    def _split(self, parent: Node, lower: Node, at: int) -> Node:
        upper = Node(self._new_id(), lower.start, lower.text[:at], {lower.text[at]: lower})
        parent.children[upper.text[upper.start]] = upper
        lower.start = at
        key = self._key(upper.text)
        self.records.append(
            NodeSplit(1, lower.id, upper.id, parent.id, upper.start, upper.length, key, self.namespace_id, 3, 0, 0)
        )
        return upper

    def _label(self, node: Node, segments: tuple[tuple[int, str], ...]) -> None:
        for place, (start, name) in enumerate(segments):
            end = segments[place + 1][0] if place + 1 < len(segments) else len(node.text)
            if end > node.start and start < len(node.text):
                if name not in self.labels:
                    self.labels[name] = self.first_id + len(self.labels)
                    self.records.append(Label(self.labels[name], name))
                self.records.append(NodeLabelled(node.id, max(start, node.start), self.labels[name]))

    def _key(self, text: str) -> int:
        key = content_key(text, self.namespace)
        self.text_of[key] = text
        return key

    def _new_id(self) -> int:
        self._ids += 1
        return self.first_id + self._ids - 1
