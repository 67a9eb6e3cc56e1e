"""Frozen values as what JSON knows."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from types import MappingProxyType

from profiles.plain import json_text, plain


@dataclass(frozen=True, slots=True)
class Part:
    """A value within a value."""

    tokens: int | None


def test_fields_keys_and_parts_keep_their_names_and_order() -> None:
    value = MappingProxyType({1: (Part(5), Part(None)), "rate": 0.5, "is_whole": True})
    assert plain(value) == {"1": [{"tokens": 5}, {"tokens": None}], "rate": 0.5, "is_whole": True}


def test_what_json_does_not_know_is_its_text() -> None:
    assert plain([b"x", Part]) == ["b'x'", str(Part)]


def test_a_document_with_what_is_not_finite_is_json_for_every_reader() -> None:
    document = {"rate": math.nan, "bounds": (1.0, math.inf, {"low": -math.inf}), "is_whole": True, "name": "é"}
    told = json.loads(json_text(document), parse_constant=lambda sign: f"no JSON: {sign}")
    assert told == {"rate": None, "bounds": [1.0, None, {"low": None}], "is_whole": True, "name": "é"}


def test_any_other_document_is_as_json_writes_it() -> None:
    document = {"name": "é", "parts": [1, 2.5, None]}
    assert json_text(document, indent=2) == json.dumps(document, indent=2)
    assert json_text(document, separators=(",", ":"), is_ascii=False) == '{"name":"é","parts":[1,2.5,null]}'
