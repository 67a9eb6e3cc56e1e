"""Raw records as a cache emits them, made from the classes that readers get."""

from __future__ import annotations

from cache_core.event_codec import head, text_record
from cache_core.events import Label, Namespace, RawRecord, Record


def raw(record: Record) -> RawRecord:
    """Return the flat tuple that decodes to `record`."""
    if isinstance(record, Namespace | Label):
        return text_record(type(record), record.id, record.text)
    *fields, last = record
    trailing = last if isinstance(last, tuple) else (last,)
    components = len(trailing) if isinstance(last, tuple) else 0
    return (head(type(record), components), *fields, *trailing)
