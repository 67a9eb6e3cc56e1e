"""Blue against orange, light against dark: what differs still differs for eyes that tell no red from green.

The colours stand apart under the three kinds of dichromacy as they are simulated by Machado, Oliveira and Fernandes
(2009); `tests/radixtop/test_themes.py` measures it.
"""

from __future__ import annotations

from collections.abc import Mapping

from radixtop.render.lines import Role
from radixtop.theme import BASIC, Frame, Theme

FRAME = Frame(
    background="#0f1216",
    surface="#171b21",
    border="#414a57",
    focus="#56b4e9",
    secondary="#7c8694",
    text="#cfd4da",
)

_ROLES: Mapping[Role, str] = {
    "text": FRAME.text,
    "dim": "#7c8694",
    "label": "#9aa4b2",
    "value": "bold #f4f6f8",
    "head": "#8e99a8",
    "accent": "bold #56b4e9",
    "key": "bold #f0e442",
    "rule": "#525c6a",
    "cursor": "on #1d4566",
    "title": "bold #0f1216 on #56b4e9",
    "tab": "bold #f4f6f8 on #1d4566",
    "good": "#56b4e9",
    "warn": "bold #f0e442",
    "bad": "bold #ff8a3d",
    "device": "#4aa3df",
    "host": "#bcdcf5",
    "full": "#e69f00",
    "miss": "#525c6a",
    "track": "#3d4653",
    "protected": "#3f8fd0",
    "held": "#f2a53c",
    "evictable": "#c9c2b2",
    "free": "#525c6a",
    "tombstone": "#ff8a3d",
    "ramp0": "#2b6ca3",
    "ramp1": "#3b88c4",
    "ramp2": "#56b4e9",
    "ramp3": "#9bd6f7",
    "flow0": "#3b78b0",
    "flow1": "#8cc8f0",
    "cost0": "#c27a1a",
    "cost1": "#ffc46b",
}

_BASIC: Mapping[Role, str] = {
    **BASIC,
    "good": "bright_blue",
    "bad": "bold yellow reverse",
    "device": "bright_blue",
    "host": "cyan",
    "full": "yellow",
    "tombstone": "bright_yellow",
    "evictable": "white",
    "ramp0": "blue",
    "ramp1": "blue",
    "ramp2": "bright_blue",
    "ramp3": "bright_blue",
    "cost0": "yellow",
    "cost1": "bright_yellow",
}
"""The same in the terminal's own colours."""

THEME = Theme("blue against orange, for eyes that tell no red from green", _ROLES, _BASIC, FRAME)
