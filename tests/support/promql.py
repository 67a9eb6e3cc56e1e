"""Reads which metrics and labels a PromQL expression names, without evaluating it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

_TOKEN = re.compile(
    r"""\s+|\#[^\n]*|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<range>\[[^\]]*\])"""
    r"""|(?P<number>\d[\w.]*)|(?P<word>[A-Za-z_:][\w:]*)|(?P<sign>=~|!~|!=|==|<=|>=|[-+*/%^(){},=<>@])"""
)
_LISTS = {"by", "without", "on", "ignoring", "group_left", "group_right"}
_WORDS = {"and", "or", "unless", "bool", "offset", "inf", "nan", "atan2"}
_CALLS = {
    "sum", "min", "max", "avg", "count", "topk", "bottomk", "quantile", "rate", "irate", "increase", "delta", "deriv",
    "histogram_quantile", "avg_over_time", "max_over_time", "min_over_time", "absent", "clamp_min", "label_values",
}  # fmt: skip


@dataclass
class Selector:
    """A metric that an expression selects, with the labels that it is matched by and what they must be."""

    metric: str
    matchers: dict[str, str] = field(default_factory=dict)


@dataclass
class Query:
    """Metrics that an expression names, and labels that it groups or joins by; `grouped` are those of its sums."""

    selectors: list[Selector] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    grouped: set[str] = field(default_factory=set)


def read_query(expression: str) -> Query:
    """Return what an expression names. Raises ValueError for a sign or a function that is not known here."""
    query, tokens = Query(), [*_tokens(expression)]
    at = 0
    while at < len(tokens):
        kind, text = tokens[at]
        at += 1
        if text in _LISTS:
            end = at + tokens[at:].index(("sign", ")")) if tokens[at : at + 1] == [("sign", "(")] else at
            names = {name for kind, name in tokens[at:end] if kind == "word"}
            query.labels |= names
            query.grouped |= names if text == "by" else set()
            at = end
        elif text == "{":
            end = at + tokens[at:].index(("sign", "}"))
            _add_matchers(query.selectors[-1], tokens[at:end])
            at = end
        elif kind == "word" and text not in _WORDS:
            follows = tokens[at] if at < len(tokens) else ("", "")
            if follows[1] == "(" or follows[1] in _LISTS:
                _require_call(text)
            else:
                query.selectors.append(Selector(text))
    return query


def _require_call(name: str) -> None:
    if name not in _CALLS and name not in _LISTS:
        raise ValueError(f"{name!r} is no function that is known here")


def _add_matchers(selector: Selector, tokens: list[tuple[str, str]]) -> None:
    named = [text for kind, text in tokens if kind == "word"]
    values = [text[1:-1] for kind, text in tokens if kind == "text"]
    selector.matchers.update(zip(named, values, strict=True))


def _tokens(expression: str) -> Iterator[tuple[str, str]]:
    at = 0
    while at < len(expression):
        found = _TOKEN.match(expression, at)
        if found is None:
            raise ValueError(f"{expression[at:]!r} is no PromQL")
        at = found.end()
        if found.lastgroup is not None:
            yield found.lastgroup, found[0]
