"""Every key of the dashboard: one table for bindings, footer and help; `settings/rebind.py` changes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from textual.binding import Binding, BindingType

from radixtop.theme import THEMES
from radixtop.view import VIEW_KEYS, VIEWS

ROWS = "rows"
WITH_ROWS = ("tree", "evictions", "requests", "events", "fleet", "why")
"""The views with a list of rows."""


class Key(NamedTuple):
    """One key: Textual's names of it, its action, how it is written, a word or none for the footer, help.

    `place` is the name of the view that it works in, "rows" for a list in any of `WITH_ROWS`, or "anywhere".
    """

    names: str
    action: str
    sign: str
    word: str
    help: str
    place: str = "anywhere"
    is_first: bool = False
    """Acts before what is typed next is handed out, so that text typed ahead goes where this key leads."""

    @property
    def name(self) -> str:
        """What the action is called in a file of settings: app.pause, view.tree, rows.move(-1)."""
        verb, _, words = self.action.partition("(")
        if words.startswith("'"):
            return f"{verb}.{words.strip(chr(39) + ')')}"
        if "." in verb:
            return self.action
        return f"{'screen' if self.place == 'anywhere' else self.place}.{self.action}"


KEYS = (
    Key("q", "app.quit", "q", "quit", "quit"),
    Key("question_mark,h", "app.help", "?", "help", "this screen"),
    Key("space,p", "app.pause", "space", "pause", "stop the moment that is shown, or go on"),
    Key("left_square_bracket", "app.nudge(-1)", "[", "time", "a second back; while stopped, one step of the engine"),
    Key("right_square_bracket", "app.nudge(1)", "]", "time", "a second further; while stopped, one step"),
    *(
        Key(VIEW_KEYS[name], f"view('{name}')", VIEW_KEYS[name], "", f"{name}: {view.summary}")
        for name, view in VIEWS.items()
    ),
    Key(
        "slash",
        "filter",
        "/",
        "filter",
        "filter rows by a text; of the tree: label, namespace, hash, #number",
        is_first=True,
    ),
    Key("enter", "open", "enter", "open", "expand a node or open its detail; enlarge a panel"),
    Key("escape", "back", "esc", "back", "back: close, shrink, drop the filter"),
    Key("x", "export", "x", "save", "write what is on screen to a file: a flame graph, or JSON"),
    Key("T", "app.theme", "T", "", f"next theme: {', '.join(THEMES)}"),
    Key("m", "app.mark", "m", "mark", "mark this moment: the view compare says what changes from then on"),
    Key("plus,equals_sign", "app.faster", "+", "rate", "refresh more often"),
    Key("minus", "app.slower", "-", "rate", "refresh less often"),
    Key(
        "ctrl+s",
        "app.screenshot",
        "^s",
        "",
        "write the screen to a new SVG file, in the current folder",
        is_first=True,
    ),
    Key("ctrl+p", "app.command_palette", "^p", "", "find any action or theme by its name", is_first=True),
    Key("ctrl+z", "app.suspend_process", "^z", "", "suspend; `fg` in the shell comes back", is_first=True),
    Key("tab", "app.focus_next", "tab", "", "go to the next panel"),
    Key("left_curly_bracket", "app.leap(-1)", "{", "", "ten seconds back"),
    Key("right_curly_bracket", "app.leap(1)", "}", "", "ten seconds further"),
    Key("full_stop", "app.step", ".", "", "stop at the next step of the engine"),
    Key("e", "app.notable(1)", "e", "", "stop at the next burst of evictions or fall of the hit rate"),
    Key("E", "app.notable(-1)", "E", "", "stop at the one before"),
    Key("less_than_sign", "app.speed(0.5)", "<", "", "let time pass half as fast"),
    Key("greater_than_sign", "app.speed(2)", ">", "", "let time pass twice as fast"),
    Key("L,end", "app.newest", "L end", "", "to the end; live again"),
    Key("home", "app.start", "home", "", "to the first moment that is kept"),
    Key("t", "timeline", "t", "", "show or hide the timeline"),
    Key("up,k", "move(-1)", "↑ k", "", "one row up", ROWS),
    Key("down,j", "move(1)", "↓ j", "", "one row down", ROWS),
    Key("pageup", "page(-1)", "pgup", "", "one screen up", ROWS),
    Key("pagedown", "page(1)", "pgdn", "", "one screen down", ROWS),
    Key("home,g", "edge(0)", "home g", "", "first row", ROWS),
    Key("end,G", "edge(1)", "end G", "", "last row; of events the newest, and follow", ROWS),
    Key("right,l", "expand", "→ l", "", "expand the node, or step into it", "tree"),
    Key("left", "collapse", "←", "", "collapse the node, or go to its parent", "tree"),
    Key("plus,equals_sign", "deepen(1)", "+", "depth", "show one level more", "tree"),
    Key("minus", "deepen(-1)", "-", "depth", "show one level less", "tree"),
    Key("i", "detail", "i", "detail", "open the detail of the node", "tree"),
    Key("s", "order", "s", "sort", "sort by the next column; a click on its title does it, too", "tree"),
    Key("S", "reverse", "S", "", "turn the order round", "tree"),
    Key("b", "next_mode", "b", "lists", "tree, then its big, hot, cold and dead nodes as flat lists", "tree"),
    Key("a", "join", "a", "", "show each node of a chain, or the chain as one row", "tree"),
    Key("n", "seek(1)", "n", "", "next match of the filter", "tree"),
    Key("N", "seek(-1)", "N", "", "match before", "tree"),
    Key("c", "clear", "c", "", "drop the filter", "tree"),
    Key("w", "within", "w", "within", "judge what came back within 10 s, 30 s, 1 min or 5 min", "evictions"),
    Key("c", "component", "c", "component", "what goes next of the other component", "evictions"),
    Key("c", "component", "c", "component", "ages of the next component", "ages"),
    Key("left", "beside(-1)", "←", "", "the frame to the left", "flame"),
    Key("right,l", "beside(1)", "→ l", "", "the frame to the right", "flame"),
    Key("up,k", "above", "↑ k", "", "the frame above, which this one is part of", "flame"),
    Key("down,j", "below", "↓ j", "", "the heaviest frame below", "flame"),
    Key("enter", "zoom", "enter", "zoom", "zoom into the frame; esc zooms out", "flame"),
    Key("w", "weight", "w", "weight", "what frames are as wide as: tokens, reused tokens, nodes, ...", "flame"),
    Key("0", "reset_alone", "0", "all", "zoom out to the whole tree", "flame"),
    Key("home", "reset", "home", "", "zoom out to the whole tree, too", "flame"),
    Key("i", "detail", "i", "detail", "open the detail of the frame's node", "flame"),
    Key("f", "choice", "f", "which", "show all requests, those running, waiting, done, or that missed", "requests"),
    Key("s", "order", "s", "sort", "order by arrival, missed tokens, or time to first token", "requests"),
    Key("F", "toggle_follow", "F", "follow", "follow the newest events, or stay where you are", "events"),
    Key("f", "kind(1)", "f", "kind", "show one kind of events: the next one; all", "events"),
    Key("t", "times", "t", "times", "times since the start, or before now", "events"),
    Key("enter", "follow", "enter", "follow", "show the tree of the rank under the cursor in every view", "fleet"),
    Key("o", "next_page", "o", "pages", "ranks; what they share, pair by pair; who has which prefixes", "fleet"),
    Key("s", "order", "s", "sort", "sort by the next figure; a click on its title does it, too", "fleet"),
    Key("S", "reverse", "S", "", "turn the order round", "fleet"),
    Key("o", "where", "o", "where", "go to the view that shows more of the finding", "why"),
    Key("r", "try_change", "r", "gain", "replay what was recorded with the finding's change; esc ends that", "why"),
    Key("w", "from_here", "w", "from here", "count from the moment shown on, or the whole run again", "why"),
    Key("s", "order", "s", "sort", "by cost with causes first, by severity, or by when it began", "why"),
    Key("c", "clear", "c", "", "drop the filter", "why"),
)
"""In the order of the help screen; the footer shows those with a word."""

_ALWAYS = frozenset({"app.quit", "app.help", "app.pause"})
"""The general keys that come first in every footer: to leave, to be helped, to stop the moment."""

_OF_TIME = frozenset({"pause", "nudge", "leap", "step", "notable", "speed", "newest", "start", "timeline"})
"""What acts on the time of a source, for which something of it has to be kept."""


def of_servers(keys: Sequence[Key]) -> Sequence[Key]:
    """Return the keys that do something for servers: nothing of them is kept, and their view takes a key."""
    left_out = _OF_TIME | {"reset_alone"}
    return [key for key in keys if key.action.removeprefix("app.").partition("(")[0] not in left_out]


def places_of(view: str) -> tuple[str, ...]:
    """Return the places whose keys work in a view."""
    return ("anywhere", ROWS, view) if view in WITH_ROWS else ("anywhere", view)


def bindings(place: str) -> list[BindingType]:
    """Return Textual's bindings of the keys of one place."""
    return [
        Binding(key.names, key.action, key.help, show=False, priority=key.is_first, id=key.name)
        for key in KEYS
        if key.place == place
    ]


def bindings_over_all() -> list[BindingType]:
    """Return the bindings of keys that act whatever lies over the view, and while one types."""
    return [
        binding for binding in bindings("anywhere") if isinstance(binding, Binding) and binding.key[:5] == "ctrl+"
    ]


def footer_keys(place: str, keys: Sequence[Key] = KEYS) -> list[tuple[str, str, str]]:
    """Return the footer's keys as (sign, word, key) while the focus is in `place`.

    Behind the first few come those of the place, which stand in for general ones with the same sign; what is cut on a
    narrow screen is general. Neighbours with the same word are one item, whose click is the first of them.
    """
    general = {key.sign: key for key in keys if key.place == "anywhere" and key.word}
    own = {key.sign: key for key in keys if key.place == place and key.word}
    first = {sign: key for sign, key in general.items() if key.name in _ALWAYS}
    items: list[tuple[str, str, str]] = []
    for key in (first | own | {sign: key for sign, key in general.items() if sign not in own}).values():
        if items and items[-1][1] == key.word:
            items[-1] = (f"{items[-1][0]} {key.sign}", *items[-1][1:])
        else:
            items.append((key.sign, key.word, key.names.partition(",")[0]))
    return items
