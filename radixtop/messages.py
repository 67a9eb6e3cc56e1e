"""Messages to the app; they carry frozen values only.

Widgets post theirs straight to the app: Textual stops a bubbling message at the widget whose handler caused it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeVar

from textual.message import Message

if TYPE_CHECKING:
    from probes.snapshot import Snapshot
    from probes.travel.moment import Moment
    from radixtop.playing.transport import Course
    from radixtop.question import Question

A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class Frame:
    """What the polling thread knows after one step.

    `answers` are those to the questions of the screen. `moment` says which moment of the source all of it is of, and
    `course` what its whole run was like, where the source knows. `failure` is why the source can no longer be read,
    empty while it can. `notice` is what there was to say of the last thing that was asked for, with its number.
    `text` says whether text of prompts is wanted and any was told; `is_hushed` that nodes do not go by it here
    although they would: nothing of an earlier frame may stay on screen.
    """

    snapshot: Snapshot | None = None
    answers: tuple[object, ...] = ()
    failure: str = ""
    moment: Moment | None = None
    course: Course | None = None
    notice: tuple[int, str] = (0, "")
    text: Literal["", "asked for", "shown"] = ""
    is_hushed: bool = False

    def answer(self, answer_class: type[A]) -> A | None:
        """Return the answer of that class, or None when that was not asked or has no answer yet."""
        return next((answer for answer in self.answers if isinstance(answer, answer_class)), None)


class FrameReady(Message):
    """A new frame; one that still waits in the queue is replaced by a newer one."""

    bubble = False

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        super().__init__()

    def can_replace(self, message: Message) -> bool:
        """Only the newest frame matters."""
        return isinstance(message, FrameReady)


class FrameHushed(Message):
    """A frame without text of prompts, with the questions that it answers."""

    bubble = False

    def __init__(self, asked: tuple[Question, ...], frame: Frame) -> None:
        self.asked = asked
        self.frame = frame
        super().__init__()


class ExportWanted(Message):
    """Someone wants what is on screen in a file: a view by name, the classes of the samples that it has, and more."""

    def __init__(self, view: str, samples: tuple[type, ...], more: Mapping[str, object]) -> None:
        self.view = view
        self.samples = samples
        self.more = more
        super().__init__()


class MomentWanted(Message):
    """Someone wants to see another moment of the run, in ns on the clock of its records."""

    def __init__(self, at: int) -> None:
        self.at = at
        super().__init__()


class Exported(Message):
    """What became of an export: the name of the file in the current folder, or why there is none."""

    bubble = False

    def __init__(self, name: str, fault: str = "") -> None:
        self.name = name
        self.fault = fault
        super().__init__()


class QuestionsChanged(Message):
    """Something in sight wants to know something else: ask it again what that is."""

    def can_replace(self, message: Message) -> bool:
        """Once is enough."""
        return isinstance(message, QuestionsChanged)


class NodeChosen(Message):
    """Someone wants to see everything about a node."""

    def __init__(self, node: int) -> None:
        self.node = node
        super().__init__()


class RequestChosen(Message):
    """Someone wants to know what became of a request."""

    def __init__(self, request: int) -> None:
        self.request = request
        super().__init__()


class RankChosen(Message):
    """Someone wants the tree of another rank of a server."""

    def __init__(self, server: str, rank: int) -> None:
        self.server = server
        self.rank = rank
        super().__init__()
