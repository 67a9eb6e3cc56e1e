"""The terminal's own 16 colours, whatever they are: for those who have chosen them."""

from __future__ import annotations

from radixtop.theme import BASIC, Theme

THEME = Theme("the terminal's own 16 colours", BASIC)
