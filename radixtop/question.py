"""Questions of a screen about what only the polling thread may read, and who answers them.

The mirror and the probes belong to the thread that ticks. A screen states what it wants to know as a frozen value;
the polling thread has it answered with another one, which travels to the screen in the next frame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from probes.mirror import Mirror
    from probes.snapshot import Snapshot
    from radixtop.source import Source


MOST_FAULTS = 32
"""So many different reasons are kept; whoever fails in more ways is known by then."""


class Question(Protocol):
    """What a screen wants to know, a frozen value. `answerer` names who knows, as "module:Class"."""

    answerer: ClassVar[str]


Q_contra = TypeVar("Q_contra", bound=Question, contravariant=True)


class Answerer(ABC, Generic[Q_contra]):
    """Answers one kind of question. It is made without arguments, once for each tree, on the polling thread.

    There is another tree where another moment of the run is shown, for example.
    """

    outlives_trees: ClassVar[bool] = False
    """Whether it stays the same for another tree, because what it keeps is of more than one moment."""

    is_busy: bool = False
    """Whether there is more to be done for the answer now: then `go_on` is called with every tick."""

    def go_on(self, source: Source) -> None:
        """Do a slice of what the last question takes, some milliseconds of it."""

    def close(self) -> None:
        """Let go of what it has beside this process; nothing is asked any more."""

    @abstractmethod
    def answer(self, source: Source, snapshot: Snapshot, question: Q_contra) -> object | None:
        """Return the answer, a frozen value of a class of its own; None when there is none yet.

        The thread that calls also empties the ring, so an answer takes milliseconds: work that grows with the tree is
        done in slices, or rests long enough afterwards.
        """


class Desk:
    """Has questions answered, each by the answerer of its kind; that one is imported when it is first asked.

    One that raises leaves out its own answer and no other. It is made anew for the next frame: what it kept may be
    half of something. `faults` are the reasons; each is kept once, however often it comes.
    """

    def __init__(self) -> None:
        self.faults: tuple[str, ...] = ()
        self._answerers: dict[str, Answerer[Any]] = {}
        self._mirror: Mirror | None = None
        self._asked: frozenset[str] = frozenset()

    @property
    def is_busy(self) -> bool:
        """Whether any answer that was asked for last takes more work."""
        return any(self._answerers[place].is_busy for place in self._asked if place in self._answerers)

    def go_on(self, source: Source) -> None:
        """Have a slice of that work done."""
        for place in self._asked:
            answerer = self._answerers.get(place)
            if answerer is not None and answerer.is_busy:
                try:
                    answerer.go_on(source)
                except Exception as error:  # noqa: BLE001 - whatever it was, the others have answers
                    self._fail(place, error)

    def answers(self, source: Source, snapshot: Snapshot, questions: Sequence[Question]) -> tuple[object, ...]:
        """Return the answers that there are, in the order of the questions."""
        if source.mirror is not self._mirror:
            self._mirror = source.mirror
            self._keep(one for one in self._answerers.values() if one.outlives_trees)
        self._asked = frozenset(question.answerer for question in questions)
        found = (self._answer(source, snapshot, question) for question in questions)
        return tuple(answer for answer in found if answer is not None)

    def close(self) -> None:
        """Let go of all answerers."""
        self._keep(())

    def _keep(self, answerers: Iterable[Answerer[Any]]) -> None:
        kept = set(answerers)
        for place, one in tuple(self._answerers.items()):
            if one not in kept:
                self._answerers.pop(place).close()

    def _answer(self, source: Source, snapshot: Snapshot, question: Question) -> object | None:
        place = question.answerer
        try:
            return self._answerer(place).answer(source, snapshot, question)
        except Exception as error:  # noqa: BLE001 - whatever it was, the others have answers
            self._fail(place, error)
            return None

    def _fail(self, place: str, error: Exception) -> None:
        """Let go of who failed, and keep the reason."""
        failed = self._answerers.pop(place, None)
        if failed is not None:
            failed.close()
        fault = f"{place.rpartition(':')[2]} has no answer: {type(error).__name__}: {error}"
        if fault not in self.faults and len(self.faults) < MOST_FAULTS:
            self.faults = (*self.faults, fault)

    def _answerer(self, place: str) -> Answerer[Any]:
        answerer = self._answerers.get(place)
        if answerer is None:
            module, _, name = place.partition(":")
            answerer = self._answerers[place] = getattr(import_module(module), name)()
        return answerer
