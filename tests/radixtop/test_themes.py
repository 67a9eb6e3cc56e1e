"""Every theme on every screen: legible, told apart, and ASCII where that was asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping
from itertools import combinations
from typing import Any, get_args

import pytest
from rich.color import Color, ColorSystem
from rich.segment import Segment
from rich.style import Style

from radixtop.panel import PANELS, Canvas
from radixtop.render.glyphs import ascii_of
from radixtop.render.lines import Role
from radixtop.render.palette import palette
from radixtop.settings.setting import Settings
from radixtop.theme import THEMES
from radixtop.view import VIEW_KEYS
from tests.support.screen import Dashboard, dashboard
from tests.support.watched import NOW, samples

Scenario = Callable[[Dashboard], Coroutine[Any, Any, None]]
RGB_THEMES = [name for name in THEMES if THEMES.load(name).frame is not None]

GROUND_ROLES = frozenset({"cursor", "title", "tab"})
"""Roles that bring their own ground."""
QUIET_ROLES = frozenset({"rule", "miss", "track", "free"})
"""Roles of lines and empty bars, of which nothing is read."""
TOLD_APART: tuple[tuple[Role, ...], ...] = (
    ("good", "warn", "bad"),
    ("protected", "held", "evictable", "free"),
    ("device", "full", "miss"),
    ("device", "host", "full"),
    ("device", "tombstone"),
    ("flow1", "cost1"),
)
"""Roles that stand for different things in one picture."""

DICHROMACIES: Mapping[str, tuple[tuple[float, float, float], ...]] = {
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
}
"""How linear RGB is seen by eyes that tell no red from green: Machado, Oliveira and Fernandes (2009), severity 1."""


@pytest.fixture(autouse=True)
def _colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("COLORTERM", "truecolor")


def run(scenario: Scenario, settings: Settings, width: int = 120, height: int = 40) -> None:
    async def main() -> None:
        async with dashboard(width, height, settings=settings) as running:
            await scenario(running)

    asyncio.run(main())


def colours(styled: Iterable[Iterable[Segment]]) -> set[str]:
    """Return every colour on a screen, grounds among them."""
    styles = [segment.style for row in styled for segment in row if segment.style is not None]
    return {color.name for style in styles for color in (style.color, style.bgcolor) if color is not None}


# ---- one table, every theme


@pytest.mark.parametrize("name", THEMES)
def test_a_theme_has_a_look_for_every_role_at_every_depth(name: str) -> None:
    assert set(palette(name, "rgb")) == set(palette(name, "ansi")) == set(get_args(Role))


@pytest.mark.parametrize("name", THEMES)
def test_no_background_of_16_colours_is_forced_on_the_terminal(name: str) -> None:
    assert all(style.bgcolor is None or style.bgcolor.is_default for style in palette(name, "ansi").values())


@pytest.mark.parametrize("name", THEMES)
def test_no_colour_beyond_16_is_asked_of_a_terminal_that_has_no_more(name: str) -> None:
    numbers = [style.color.number for style in palette(name, "ansi").values() if style.color is not None]
    assert all(number is None or number < 16 for number in numbers)


@pytest.mark.parametrize("system", [ColorSystem.TRUECOLOR, ColorSystem.EIGHT_BIT], ids=["truecolor", "256"])
@pytest.mark.parametrize("name", RGB_THEMES)
def test_text_is_legible_on_its_ground(name: str, system: ColorSystem) -> None:
    frame = THEMES.load(name).frame
    assert frame is not None
    faint = {
        role: round(found, 2)
        for role, style in palette(name, "rgb").items()
        if role not in QUIET_ROLES and (found := contrast(style, frame.background, system)) < needed(role)
    }
    assert faint == {}


def needed(role: Role) -> float:
    """Return the contrast that a role needs: 4.5 is that of WCAG for text, 3 for what is large or drawn."""
    return 4.5 if role in ("text", "label", "value", "accent", "key", "bad", "warn", "title", "tab") else 2.9


def contrast(style: Style, ground: str, system: ColorSystem) -> float:
    back = style.bgcolor or Color.parse(ground)
    front = style.color or Color.parse(ground)
    if style.color is None:
        return 21.0  # a ground alone: the text over it has its own role
    light, dark = sorted((luminance(linear(each.downgrade(system))) for each in (front, back)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def linear(color: Color) -> tuple[float, ...]:
    return tuple(((c / 255 + 0.055) / 1.055) ** 2.4 if c > 10 else c / 255 / 12.92 for c in color.get_truecolor())


def luminance(rgb: tuple[float, ...]) -> float:
    return 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2]


@pytest.mark.parametrize("sight", DICHROMACIES)
@pytest.mark.parametrize("roles", TOLD_APART, ids=" ".join)
def test_the_colour_blind_theme_is_told_apart_without_red_and_green(roles: tuple[Role, ...], sight: str) -> None:
    styles = palette("colorblind", "rgb")
    close = [
        (first, second)
        for first, second in combinations(roles, 2)
        if difference(styles[first], styles[second], sight) < 20
    ]
    assert close == []


def difference(first: Style, second: Style, sight: str) -> float:
    """Return how far two colours are apart for such eyes: the distance in CIELAB."""
    seen = []
    for style in (first, second):
        assert style.color is not None
        rgb = linear(style.color)
        seen.append(lab([sum(a * b for a, b in zip(row, rgb, strict=True)) for row in DICHROMACIES[sight]]))
    return float(sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5)


def lab(rgb: list[float]) -> tuple[float, float, float]:
    r, g, b = (min(1.0, max(0.0, c)) for c in rgb)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089
    x, y, z = (c ** (1 / 3) if c > 0.008856 else 7.787 * c + 16 / 116 for c in (x, y, z))
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


# ---- on screen


def test_ascii_can_be_had_with_any_theme() -> None:
    async def scenario(running: Dashboard) -> None:
        await running.press("T")
        assert running.text().isascii()

    run(scenario, Settings(theme="ascii", ascii=True), 80, 24)


def test_no_cell_of_any_screen_is_outside_ascii() -> None:
    async def scenario(running: Dashboard) -> None:
        pages = {}
        for key in VIEW_KEYS.values():
            await running.press(key)
            pages[key] = running.text()
        await running.press("2", "i")
        pages["node"] = running.text()
        await running.press("escape", "?")
        pages["help"] = running.text()
        await running.press("escape", "slash", "x", "é", "漢", "字")
        pages["filter"] = running.text()
        await running.press("escape", *["T"] * len(THEMES))
        pages["toast"] = running.text()
        running.source.die("lost", "käputt ☠")
        await running.tick()
        pages["trouble"] = running.text()
        found = {name: sorted({c for c in text if ord(c) > 126}) for name, text in pages.items()}
        assert {name: signs for name, signs in found.items() if signs} == {}
        assert "+--" in pages["1"] and "###" in pages["1"]

    run(scenario, Settings(theme="ascii"), 80, 24)


def test_a_change_of_theme_repaints_every_view_as_if_it_had_been_there_from_the_start() -> None:
    async def pages(running: Dashboard) -> list[list[list[Segment]]]:
        found = []
        for key in VIEW_KEYS.values():
            await running.press(key)
            found.append(running.styled())
        return found

    async def change(running: Dashboard) -> None:
        changed["dark"] = await pages(running)
        await running.press(*"T" * THEMES.names.index("ascii"))
        running.app.clear_notifications()
        changed["ascii"] = await pages(running)

    async def start(running: Dashboard) -> None:
        await pages(running)  # what a view has scrolled to once has nothing to do with themes
        assert await pages(running) == changed["ascii"]

    changed: dict[str, list[list[list[Segment]]]] = {}
    run(change, Settings(), 80, 24)
    assert colours(changed["dark"][0]) != colours(changed["ascii"][0])
    run(start, Settings(theme="ascii"), 80, 24)


def test_the_key_goes_through_every_theme_and_names_it() -> None:
    async def scenario(running: Dashboard) -> None:
        for name in (*THEMES.names[1:], THEMES.names[0]):
            await running.press("T")
            assert f"theme {name}" in running.text()

    run(scenario, Settings(), 80, 24)


def test_without_colour_only_attributes_are_left() -> None:
    async def scenario(running: Dashboard) -> None:
        for key in (*VIEW_KEYS.values(), "T"):
            await running.press(key)
            assert colours(running.styled()) <= {"default"}

    run(scenario, Settings(color=False), 80, 24)


@pytest.mark.parametrize("is_ascii", [False, True], ids=["unicode", "ascii"])
@pytest.mark.parametrize("theme", THEMES)
def test_what_shares_a_line_of_a_panel_is_told_apart_without_colour(theme: str, is_ascii: bool) -> None:
    """By its sign, or by bold, dim or reverse. Curves are told apart by where they are."""
    styles = palette(theme, "ansi")
    confused = set()
    given = {type(sample): sample for sample in samples().values()}
    for name in PANELS:
        panel = PANELS.load(name)()
        for line in panel.paint(given.get(panel.sample), Canvas(110, 14, NOW)):
            roles: dict[tuple[object, ...], set[str]] = {}
            for text, role in line:
                style = styles[role]
                for sign in {c for c in text if is_sign(c)}:
                    seen = ascii_of(sign) if is_ascii else sign
                    look = (seen, style.bold, style.dim, style.reverse)
                    roles.setdefault(look, set()).add(role.rstrip("0123456789"))
            confused |= {(name, str(look[0]), *sorted(found)) for look, found in roles.items() if len(found) > 1}
    assert confused == set()


def is_sign(character: str) -> bool:
    """Return whether a character draws something, and is neither text nor a dot of a curve."""
    return not character.isascii() and not character.isalnum() and not 0x2800 <= ord(character) < 0x2900
