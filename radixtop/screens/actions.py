"""What the command palette lists: every action of the key map that is in reach, and every theme."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from radixtop.keymap import places_of
from radixtop.theme import THEMES

if TYPE_CHECKING:
    from radixtop.app import RadixtopApp
    from radixtop.keymap import Key

_UNLISTED = frozenset({"app.command_palette", "screen.open", "screen.back"})
"""What makes no sense from a list that lies over everything."""


class Action(NamedTuple):
    """One line of the palette."""

    text: str
    help: str
    act: Callable[[], object]


class Actions(Provider):
    """Finds actions by what they do; choosing one is pressing its key."""

    @property
    def _radixtop(self) -> RadixtopApp:
        return cast("RadixtopApp", self.app)

    def _actions(self) -> Iterator[Action]:
        app = self._radixtop
        for key in app.keys:
            if key.place in places_of(app.view_name) and key.name not in _UNLISTED:
                yield Action(_text(key), f"{key.name}   key {key.sign}", partial(_press, app, key))
        for name in THEMES:
            yield Action(f"theme {name}: {THEMES.load(name).summary}", "", partial(app.use_theme, name))

    async def discover(self) -> Hits:
        """Yield every action, before anything is typed."""
        for action in self._actions():
            yield DiscoveryHit(action.text, action.act, help=action.help or None)

    async def search(self, query: str) -> Hits:
        """Yield the actions that match."""
        matcher = self.matcher(query)
        for action in self._actions():
            if (score := matcher.match(action.text)) > 0:
                yield Hit(score, matcher.highlight(action.text), action.act, help=action.help or None)


def _text(key: Key) -> str:
    if key.name.startswith("view."):
        return f"view {key.help}"
    return key.help if key.help.startswith(key.word) else f"{key.word}: {key.help}"


def _press(app: RadixtopApp, key: Key) -> None:
    """Press a key; a view is gone to in any case, whatever its key is in the view in sight."""
    if key.name.startswith("view."):
        app.call_later(app.show_view, key.name.partition(".")[2])
        return
    app.simulate_key(key.names.partition(",")[0])
