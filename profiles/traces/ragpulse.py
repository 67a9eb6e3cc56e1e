"""Traces of RAGPulse: ids of the parts of a prompt, by category, as a retrieval-augmented assistant put it together.

    {"timestamp": "82", "input_length": 3112, "output_length": 192, "session_id": "...", "hash_ids": {
     "sys_prompt": [8302], "passages_ids": [7398, 7370], "history": [], "web_search": [], "user_input": [26923]}}

Times are texts of seconds (https://github.com/flashserve/RAGPulse). The prompt is the categories in `CATEGORIES`'
order. An id stands for content, wherever it is: it is a hit only after the same ids as before. How long each part is
the line does not say, so all weigh the same: `input_length` shared among them, rounded half up, at most 512.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from profiles.time_order import TimeOrdered
from profiles.trace import ID_BYTES, Trace, TraceRequest
from profiles.trace_fields import NS_PER_S, Fields
from profiles.trace_format import TraceFormat, TraceHead
from profiles.trace_lines import lines_of

CATEGORIES = ("sys_prompt", "passages_ids", "history", "web_search", "user_input")
"""The order in which a prompt has its parts."""

MOST_PART_TOKENS = 512


class RagPulse(TraceFormat):
    """Lines whose `hash_ids` are an object of category to ids."""

    def fits(self, head: TraceHead) -> bool:
        """See TraceFormat."""
        hash_ids = head.fields.get("hash_ids")
        return isinstance(hash_ids, dict) and any(category in hash_ids for category in CATEGORIES)

    def open(self, path: Path) -> Trace:
        """See TraceFormat."""
        return _RagPulseTrace(path, self.wanted)


class _RagPulseTrace(TimeOrdered):
    """A prompt is as long as its parts weigh, which rounding makes a little more or less than `input_length`."""

    ids_have_one_length = False

    def in_file_order(self) -> Iterator[TraceRequest]:
        """See TimeOrdered."""
        for number, line in lines_of(self.path):
            fields = Fields(self.path, number, line)
            path = _path(fields)
            parts = len(path) // ID_BYTES
            weight = part_tokens(fields.count("input_length", least=1), parts)
            yield TraceRequest(
                at_ns=fields.time_ns("timestamp", NS_PER_S) - self.zero_ns,
                path=path,
                block_tokens=weight,
                prompt_tokens=weight * parts,
                output_tokens=fields.count("output_length") if "output_length" in fields else 0,
                session=fields.text("session_id"),
            )


def part_tokens(prompt_tokens: int, parts: int) -> int:
    """Return what each part of a prompt weighs, at least a token."""
    return max(1, min(MOST_PART_TOKENS, (2 * prompt_tokens + parts) // (2 * parts)))


def _path(fields: Fields) -> bytes:
    """Return the ids of all categories, one after another."""
    by_category = fields.members("hash_ids")
    for category in by_category:
        if category not in CATEGORIES:
            raise fields.wrong(f"has a part `{category[:40]}`", f"parts are: {', '.join(CATEGORIES)}")
    path = b"".join(fields.packed(by_category.get(category, []), category) for category in CATEGORIES)
    if not path:
        raise fields.wrong("has no ids in `hash_ids`", "every prompt has parts")
    return path
