"""Soft colours on a dark ground: what the dashboard looks like unless told."""

from __future__ import annotations

from collections.abc import Mapping

from radixtop.render.lines import Role
from radixtop.theme import Frame, Theme

FRAME = Frame(
    background="#10141b",
    surface="#161b24",
    border="#38445a",
    focus="#6cb6ff",
    secondary="#66738a",
    text="#c3ccdb",
)

_ROLES: Mapping[Role, str] = {
    "text": FRAME.text,
    "dim": "#66738a",
    "label": "#8b98ae",
    "value": "bold #edf2fa",
    "head": "#7d8ba3",
    "accent": "bold #6cb6ff",
    "key": "bold #ffd479",
    "rule": "#4a586e",
    "cursor": "on #24405f",
    "title": "bold #10141b on #6cb6ff",
    "tab": "bold #edf2fa on #24405f",
    "good": "#5fd7a7",
    "warn": "bold #ffc66d",
    "bad": "bold #ff7b86",
    "device": "#4fd0a5",
    "host": "#b5cc5f",
    "full": "#e8b45a",
    "miss": "#46536a",
    "track": "#364156",
    "protected": "#6cb6ff",
    "held": "#e8a05a",
    "evictable": "#a88bf0",
    "free": "#46536a",
    "tombstone": "#ff9aa2",
    "ramp0": "#2f8f79",
    "ramp1": "#3bb08f",
    "ramp2": "#4fd0a5",
    "ramp3": "#7ff0c6",
    "flow0": "#3f74b8",
    "flow1": "#7cc0ff",
    "cost0": "#8a6fd6",
    "cost1": "#c9b2ff",
}

THEME = Theme("soft colours on a dark ground", _ROLES, frame=FRAME)
