"""Nothing outside ASCII, in the terminal's own colours: for serial consoles, old fonts, and logs of terminals."""

from __future__ import annotations

from radixtop.theme import BASIC, Theme

THEME = Theme("ASCII characters, the terminal's own colours", BASIC, is_ascii=True)
