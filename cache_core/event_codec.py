"""Records as words: which kind a class is, the head that says so, texts in words, and the way back to the classes."""

from __future__ import annotations

from cache_core.events import (
    MAX_COMPONENTS,
    WORDS_SHIFT,
    CacheReset,
    EngineStep,
    Evict,
    EvictionCause,
    FreeWindow,
    Insert,
    Label,
    Lock,
    Match,
    Namespace,
    NodeAdded,
    NodeForked,
    NodeLabelled,
    NodeMarked,
    NodeRemoved,
    NodeSplit,
    NodeTiers,
    NodeTokenKeys,
    NodeTouched,
    Pool,
    ProbeCost,
    RawRecord,
    Record,
    Recovered,
    RequestAdmitted,
    RequestFinished,
    RequestFirstToken,
    RequestPrefilled,
    RequestQueued,
    RequestRefused,
    RequestRetracted,
    SchedulePass,
    Timing,
    Tombstoned,
    Transfers,
    Unlock,
)

_KINDS: tuple[tuple[int, type[Record]], ...] = (
    (1, Match), (2, Insert), (3, Evict), (4, Lock), (5, Unlock), (6, FreeWindow), (7, EvictionCause),
    (16, NodeAdded), (17, NodeSplit), (18, NodeRemoved), (19, Tombstoned), (20, Recovered), (21, NodeTouched),
    (22, NodeLabelled), (23, CacheReset), (24, NodeTiers), (25, NodeMarked), (26, NodeForked),
    (27, NodeTokenKeys), (32, RequestQueued),
    (33, RequestAdmitted), (34, RequestPrefilled), (35, RequestFirstToken), (36, RequestFinished),
    (37, RequestRetracted), (38, RequestRefused), (48, Pool), (49, EngineStep), (50, SchedulePass),
    (51, Transfers), (52, Timing), (53, ProbeCost), (64, Namespace), (65, Label),
)  # fmt: skip
TRAILING: frozenset[type[Record]] = frozenset({Evict, Lock, Unlock, NodeMarked, NodeTokenKeys})
"""The classes whose last field takes the remaining words."""

TEXT: frozenset[type[Record]] = frozenset({Namespace, Label})
"""The classes whose words are a text; every other record is its fields, a word each."""

COMPONENT_AT: dict[type[Record], int] = {
    cls: cls._fields.index("component") for cls in (Evict, Tombstoned, Recovered, Pool)
}
"""Which word of a record names a component, for the classes that have one."""

_CLASS_OF = dict(_KINDS)
_KIND_OF = {cls: kind for kind, cls in _KINDS}


def head(cls: type[Record], components: int = 0) -> int:
    """Return the head word of records of `cls`; `components` is the length of a trailing field."""
    fields = len(cls._fields)
    words = fields - 1 + components if cls in TRAILING else fields
    return _KIND_OF[cls] | words << WORDS_SHIFT


def text_record(cls: type[Record], id_: int, text: str) -> RawRecord:
    """Return the raw record of a namespace or label: its id, its length in bytes, and its UTF-8 as words."""
    raw = text.encode("utf-8", "surrogatepass")
    padded = raw + bytes(-len(raw) % 8)
    words = [int.from_bytes(padded[i : i + 8], "little", signed=True) for i in range(0, len(padded), 8)]
    return (_KIND_OF[cls] | (2 + len(words)) << WORDS_SHIFT, id_, len(raw), *words)


def decode(kind: int, words: tuple[int, ...]) -> Record | None:
    """Return the record of one kind and its words, or None when the kind is not known here.

    A record with more words than its class has fields comes from a newer writer: the extra words are left
    out. Raises ValueError when words are missing, or when a component is named that no cache can have.
    """
    cls = _CLASS_OF.get(kind)
    if cls is None:
        return None
    if cls in TEXT:
        return _decode_text(cls, words)
    fields = len(cls._fields)
    at = COMPONENT_AT.get(cls)
    if at is not None and len(words) > at and not 0 <= words[at] < MAX_COMPONENTS:
        raise ValueError(f"{cls.__name__} record of component {words[at]}")
    if cls in TRAILING:
        if not fields - 1 <= len(words) < fields + MAX_COMPONENTS:
            raise ValueError(f"{cls.__name__} record of {len(words)} words, at least {fields - 1} expected")
        return cls._make((*words[: fields - 1], words[fields - 1 :]))
    if len(words) < fields:
        raise ValueError(f"{cls.__name__} record of {len(words)} words, {fields} expected")
    return cls._make(words[:fields])


def _decode_text(cls: type[Record], words: tuple[int, ...]) -> Record:
    if len(words) < 2 or not 0 <= words[1] <= 8 * (len(words) - 2):
        raise ValueError(f"{cls.__name__} record whose text does not fit its {len(words)} words")
    raw = b"".join(word.to_bytes(8, "little", signed=True) for word in words[2:])[: words[1]]
    return cls._make((words[0], raw.decode("utf-8", "replace")))
