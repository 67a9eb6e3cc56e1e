"""What a line of a request log says of a request, under whichever of the names that engines and tools use.

Fields may lie in objects in the line (`CONTAINERS`), where engines put the request itself and what it used; a field
further out goes first.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b

from profiles.trace import ID_BYTES
from profiles.trace_fields import MOST_PROMPT_TOKENS, NS_PER_MS, NS_PER_S, Fields

CONTAINERS = (
    "request", "event", "body", "obj", "params", "replay", "lora_request", "session_params", "response", "out",
    "meta_info", "usage", "metrics",
)  # fmt: skip
TOKENS = ("prompt_token_ids", "input_ids", "input_token_ids", "origin_input_ids", "token_ids", "prompt")
HASHES = ("hash_ids", "block_hashes", "block_hash_ids", "input_sequence_hashes", "prefix_block_hashes")
BLOCK_SIZES = ("block_size", "trace_block_size", "page_size")
LENGTHS = ("input_length", "input_tokens", "prompt_tokens", "num_prompt_tokens", "prompt_len")
OUTPUT_LENGTHS = ("output_length", "output_tokens", "completion_tokens", "num_generation_tokens", "output_len")
OUTPUT_TOKENS = ("output_token_ids", "output_ids")
TIMES = (
    "request_received_ms", "arrival_time", "arrival_time_ms", "timestamp", "timestamp_ms", "@timestamp", "time", "ts",
    "start_time", "created", "created_at",
)  # fmt: skip
NAMES = ("rid", "request_id")
SESSIONS = ("session_id", "session", "conversation_id")
AGENTS = ("agent", "agent_id")
LORA = ("lora_name", "lora_path", "lora_id", "lora")

_MOST_BLOCK_TOKENS = 1 << 16
_MAX_TOKEN = (1 << 31) - 1
_UNITS_NS = ((1e17, 1), (1e14, 1_000), (1e11, NS_PER_MS), (0, NS_PER_S))
"""From which size on a number is a date in ns, us, ms: whatever is smaller is seconds, dates as well."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The ids of a prompt: tokens, or hashes of blocks."""

    path: bytes
    block_tokens: int
    tokens: int


def first(fields: Fields, names: tuple[str, ...]) -> str | None:
    """Return the first of some names under which a line says something."""
    return next((name for name in names if fields.get(name) is not None), None)


def prompts_of(fields: Fields) -> list[Prompt]:
    """Return the prompts of a line: one, those of a batch, or none when it tells neither tokens nor hashes."""
    name = next((name for name in TOKENS if isinstance(fields.get(name), list)), None)
    if name is not None:
        values = fields.get(name)
        batch = values if isinstance(values, list) and values and isinstance(values[0], list) else [values]
        return [_tokens(fields, name, each, is_alone=len(batch) == 1) for each in batch]
    name = next((name for name in HASHES if isinstance(fields.get(name), list)), None)
    return [] if name is None else [_hashes(fields, name)]


def _tokens(fields: Fields, name: str, values: object, is_alone: bool) -> Prompt:
    path = fields.packed(values, name)
    tokens = array("q", path)
    if not 0 < len(tokens) <= MOST_PROMPT_TOKENS or min(tokens) < 0 or max(tokens) > _MAX_TOKEN:
        problem = f"has tokens in `{name}` that make no prompt"
        raise fields.wrong(problem, f"a prompt has 1 to {MOST_PROMPT_TOKENS:,} tokens, each from 0 to {_MAX_TOKEN:,}")
    length = first(fields, tuple(each for each in LENGTHS if not isinstance(fields.get(each), list)))
    if is_alone and length is not None and fields.count(length) != len(tokens):
        problem = f"has {len(tokens):,} tokens in `{name}` and {fields.count(length):,} as `{length}`"
        raise fields.wrong(problem, "a log that cuts prompts short is no trace: log them whole")
    return Prompt(path, 1, len(tokens))


def _hashes(fields: Fields, name: str) -> Prompt:
    """Return a prompt of hashes: of whole blocks, the rest of it without one, or of the last one in part as well."""
    size_name = first(fields, BLOCK_SIZES)
    if size_name is None:
        raise fields.wrong(f"has `{name}` but no `block_size`", "say how many tokens a hash stands for")
    size = fields.count(size_name, 1, _MOST_BLOCK_TOKENS)
    path = fields.ids(name)
    blocks = len(path) // ID_BYTES
    length_name = first(fields, LENGTHS)
    length = blocks * size if length_name is None else fields.count(length_name)
    if not length or not length // size <= blocks <= -(-length // size):
        problem = f"has {blocks:,} hashes of {size:,} tokens for {length:,} tokens"
        raise fields.wrong(problem, f"`{name}` should have one for each block of the prompt")
    return Prompt(path, size, min(blocks * size, length) or length)


def output_tokens_of(fields: Fields) -> int | None:
    """Return how many tokens were generated, None when a line does not say."""
    name = first(fields, OUTPUT_LENGTHS)
    if name is not None:
        return fields.count(name)
    listed = (fields.get(name) for name in OUTPUT_TOKENS)
    return next((len(tokens) for tokens in listed if isinstance(tokens, list)), None)


def at_ns_of(fields: Fields) -> int | None:
    """Return when a request came: a number, whose unit its name or its size tells, or a date; None without it."""
    name = first(fields, TIMES)
    if name is None:
        return None
    value = fields.get(name)
    if isinstance(value, str) and not value.strip().replace(".", "", 1).isdecimal():
        return _date_ns(fields, name, value)
    if name.endswith("_ms"):
        return fields.time_ns(name, NS_PER_MS)
    size = abs(fields.time_ns(name, 1))
    return fields.time_ns(name, next(unit for least, unit in _UNITS_NS if size >= least))


def _date_ns(fields: Fields, name: str, text: str) -> int:
    try:
        date = datetime.fromisoformat(text.strip())
        since = (date if date.tzinfo else date.replace(tzinfo=UTC)) - datetime(1970, 1, 1, tzinfo=UTC)
    except (ValueError, OverflowError):
        raise fields.wrong(f"has no time as `{name}`", "write it as 2026-01-31T12:00:00Z or as a number") from None
    return (since.days * 86_400 + since.seconds) * NS_PER_S + since.microseconds * 1_000


def namespace_of(fields: Fields) -> str | None:
    """Return what keeps a request apart: extra key, adapter and salt; of a salt no more than a hash is told."""
    parts = [fields.text("extra_key")] if isinstance(fields.get("extra_key"), str) else []
    lora = next((name for name in LORA if isinstance(fields.get(name), str | int)), None)
    if lora is not None:
        parts.append(f"lora {fields.text(lora)}")
    salt = fields.text("cache_salt")
    if salt:
        parts.append(f"salt·{blake2b(salt.encode(), digest_size=8).hexdigest()}")
    return "+".join(part for part in parts if part) or None


def named(fields: Fields, names: tuple[str, ...]) -> str | None:
    """Return the first of some names of a request."""
    name = first(fields, names)
    return None if name is None else fields.text(name)
