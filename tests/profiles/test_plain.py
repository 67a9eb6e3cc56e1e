"""Frozen values as what JSON knows."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from profiles.plain import plain


@dataclass(frozen=True, slots=True)
class Part:
    """A value within a value."""

    tokens: int | None


def test_fields_keys_and_parts_keep_their_names_and_order() -> None:
    value = MappingProxyType({1: (Part(5), Part(None)), "rate": 0.5, "is_whole": True})
    assert plain(value) == {"1": [{"tokens": 5}, {"tokens": None}], "rate": 0.5, "is_whole": True}


def test_what_json_does_not_know_is_its_text() -> None:
    assert plain([b"x", Part]) == ["b'x'", str(Part)]
