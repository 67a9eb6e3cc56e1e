"""The smallest Textual app with a word on the screen: what the first frame of the dashboard is compared with."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static

MARKER = "nothing here"


class EmptyApp(App[None]):
    """Shows `MARKER`."""

    def compose(self) -> ComposeResult:
        """Show the one word."""
        yield Static(MARKER)


if __name__ == "__main__":
    EmptyApp().run()
