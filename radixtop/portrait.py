"""Takes a picture of the screen; where that shows text of prompts, all in sight goes by hashes meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from radixtop.messages import Exported, Frame, FrameHushed
from radixtop.question import Question

if TYPE_CHECKING:
    from radixtop.app import RadixtopApp
    from radixtop.poller import Poller

MOST_TRIES = 20
"""So often it is tried again when the screen wants to know something else by the time that the answer is there."""


class Portrait:
    """The screen sits for a picture: it shows a frame without text, and newer ones wait until the picture is taken.

    It is taken only when everything that the screen asks for is in that frame: a widget without an answer shows its
    last one.
    """

    def __init__(self, app: RadixtopApp, poller: Poller) -> None:
        self._app = app
        self._poller = poller
        self._speaks = False
        self._take: Callable[[], object] | None = None
        self._waiting: Frame | None = None
        self._sits = False
        self._tries = 0

    def begin(self, take: Callable[[], object]) -> None:
        """Call `take` when the screen shows no text of prompts: at once, where it never showed any."""
        if not self._speaks:
            self._when_shown(take)
        elif not self._sits:
            self._take, self._tries = take, 0
            self._ask()

    def keeps(self, frame: Frame) -> bool:
        """Take note of a frame; say whether it has to wait."""
        self._speaks |= frame.text != ""
        if self._sits:
            self._waiting = frame
        return self._sits

    def sit(self, asked: Sequence[Question], frame: Frame) -> None:
        """Show a frame without text that answers some questions, and take the picture when it is on screen."""
        if self._take is None or self._sits:
            return
        shown = self._app.scene.frame
        if asked != self._app.asked():
            self._ask_again("the screen does not stand still")
        elif _classes_of(shown) - _classes_of(frame):
            self._ask_again("not everything in sight has a name without text")
        else:
            self._sits, self._waiting = True, shown
            self._app.show_frame(frame)
            self._when_shown(partial(self._press, asked))

    def _when_shown(self, call: Callable[[], object]) -> None:
        """Call when what was shown last is on screen, and no message covers it."""
        self._app.clear_notifications()
        self._app.call_later(self._app.call_after_refresh, call)

    def _press(self, asked: Sequence[Question]) -> None:
        if asked != self._app.asked():
            self._rise()
            self._ask_again("the screen does not stand still")
            return
        try:
            if self._take is not None:
                self._take()
        finally:
            self._rise()
            self._take = None

    def _rise(self) -> None:
        """Go on with the newest frame."""
        self._sits, frame, self._waiting = False, self._waiting, None
        if frame is not None:
            self._app.show_frame(frame)

    def _ask(self) -> None:
        asked = self._app.asked()
        self._poller.ask_hushed(asked, lambda frame: self._app.post_message(FrameHushed(asked, frame)))

    def _ask_again(self, fault: str) -> None:
        self._tries += 1
        if self._tries <= MOST_TRIES:
            self._ask()
            return
        self._take = None
        self._app.post_message(Exported("", fault))


def _classes_of(frame: Frame) -> set[type]:
    return {type(answer) for answer in frame.answers}
