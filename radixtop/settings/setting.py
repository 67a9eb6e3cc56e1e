"""The contract of a setting, and the table of all: what a file, the environment and flags may say of the screens.

A setting is harmless by rule: it changes looks and keys, opens no port, writes no file and starts nothing, for a
`radixtop.toml` in the current folder may be anyone's.
"""

from __future__ import annotations

from dataclasses import dataclass

from radixtop.settings.kind import Choice, Kind, LoadedChoice, Number, Size, Switch, Value
from radixtop.theme import THEMES

HISTORY_BYTES = 64_000_000
SLOWEST_S, FASTEST_S = 10.0, 1 / 30


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its name in a file and in `Settings`, what it may be, and the flags that set it."""

    name: str
    kind: Kind
    default: Value
    flags: tuple[str, ...]
    """As typer takes them: `--ascii/--no-ascii` for a switch, a blank before what stands for its no."""
    help: str

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return f"RADIXTOP_{self.name.upper()}"


SETTINGS = (
    Setting("theme", Choice(THEMES.names), "dark", ("--theme",), "What the dashboard looks like; T changes it."),
    Setting("ascii", Switch(), False, ("--ascii/--no-ascii", "-U"), "Nothing outside ASCII, whatever the theme."),
    Setting("color", Switch(), True, ("--color/--no-color",), "Write colours; NO_COLOR says no as well."),
    Setting("mouse", Switch(), True, ("--mouse/--no-mouse", " /-M"), "Answer the mouse; without, it selects text."),
    Setting(
        "interval", Number(FASTEST_S, SLOWEST_S, "seconds"), 1.0, ("-d", "--interval"),
        "Seconds between two looks at the cache.",
    ),
    Setting("view", LoadedChoice("radixtop.view:VIEWS"), "overview", ("--view",), "The view that is opened first."),
    Setting(
        "history", Size(), HISTORY_BYTES, ("--history",),
        "Of what is watched live, keep so much to go back to, in a file that goes with the screen: 64MB unless told. "
        "Servers are not kept.",
    ),
)  # fmt: skip
"""In the order in which --debug-options tells them."""

HZ = Setting(
    "hz", Number(1 / SLOWEST_S, 1 / FASTEST_S, "looks a second"), 1.0, ("--hz",), "The same as 1 / --interval."
)
"""Another way to say `interval`, wherever that can be said."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with the value that won, and the keys that a file gave to actions."""

    theme: str = "dark"
    ascii: bool = False
    color: bool = True
    mouse: bool = True
    interval: float = 1.0
    view: str = "overview"
    history: int = HISTORY_BYTES
    keys: tuple[tuple[str, str], ...] = ()
    """Pairs of an action and the keys that it has instead of its own, with commas between them."""
    chooses_view: bool = False
    """Whether somebody said which view is opened first."""

    @property
    def hz(self) -> float:
        """Looks a second."""
        return 1 / self.interval


DEFAULTS = Settings()
