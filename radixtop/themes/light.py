"""Dark ink on a light ground, for bright rooms and printed screenshots."""

from __future__ import annotations

from collections.abc import Mapping

from radixtop.render.lines import Role
from radixtop.theme import Frame, Theme

FRAME = Frame(
    background="#fbfaf7",
    surface="#f0eee8",
    border="#b9b4a7",
    focus="#1f5fae",
    secondary="#6e7480",
    text="#2c333d",
)

_ROLES: Mapping[Role, str] = {
    "text": FRAME.text,
    "dim": "#737a86",
    "label": "#545c69",
    "value": "bold #11161d",
    "head": "#5d6675",
    "accent": "bold #1f5fae",
    "key": "bold #8a4b00",
    "rule": "#a8a498",
    "cursor": "on #cfe0f5",
    "title": "bold #fbfaf7 on #1f5fae",
    "tab": "bold #11161d on #cfe0f5",
    "good": "#14744a",
    "warn": "bold #8f4a00",
    "bad": "bold #b3202c",
    "device": "#0d7a58",
    "host": "#61700a",
    "full": "#96600b",
    "miss": "#a3a096",
    "track": "#c9c5b9",
    "protected": "#1f5fae",
    "held": "#a8560f",
    "evictable": "#6a45c2",
    "free": "#a3a096",
    "tombstone": "#b3323e",
    "ramp0": "#2f9175",
    "ramp1": "#1f8467",
    "ramp2": "#0d7a58",
    "ramp3": "#075a40",
    "flow0": "#3f7cc4",
    "flow1": "#1f5fae",
    "cost0": "#8a6ad6",
    "cost1": "#6a45c2",
}

THEME = Theme("dark ink on a light ground", _ROLES, frame=FRAME, is_dark=False)
