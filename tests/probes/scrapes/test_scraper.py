"""Asking servers for their metrics: pace, failures in words, slow and hostile ones, coming to an end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event

import pytest

from probes.engines.access import Access, Address, Token
from probes.scrapes import scraper as scrapers
from probes.scrapes.pace import Pace
from probes.scrapes.reading import Origin
from probes.scrapes.scraper import PageSource, Scraper, ScrapeState, ScrapeTarget
from probes.scrapes.source import page_source
from tests.support.fake_server import (
    Page,
    dribbling,
    hang_up,
    listening,
    saying,
    serving,
    silence,
    text_page,
    unused_port,
)
from tests.support.metrics_pages import S, line, lines, recorded_page

AT_ONCE = Pace(interval_s=0.002, deadline_s=5, least_pause_s=0.002, most_pause_s=0.002)
PATIENCE_S = 20
PAGE = lines(line("vllm:prefix_cache_queries_total", 10, engine=0), line("vllm:prefix_cache_hits_total", 4, engine=0))


class Script:
    """A source that gives what it was given, then waits until it is let go; `asked[n]` is set at question n.

    With `waits` the first answer waits as well, until `may_begin`.
    """

    def __init__(self, *answers: str | Exception, waits: bool = False) -> None:
        self.may_begin = Event()
        if not waits:
            self.may_begin.set()
        self._answers = [*answers]
        self.asked = [Event() for _ in range(len(answers) + 1)]
        self.let_go = Event()
        self.seconds: list[float] = []

    def __call__(self, seconds: float) -> str:
        place = len(self.seconds)
        self.seconds.append(seconds)
        self.asked[min(place, len(self._answers))].set()
        self.may_begin.wait(PATIENCE_S)
        if place >= len(self._answers):
            self.let_go.wait(PATIENCE_S)
            return PAGE
        answer = self._answers[place]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def is_done(self) -> bool:
        """Wait until every answer was taken."""
        return self.asked[-1].wait(PATIENCE_S)


@contextmanager
def scraping(
    *sources: PageSource, engine: str = "vllm", pace: Pace = AT_ONCE, clock: Callable[[], int] = time.perf_counter_ns
) -> Iterator[Scraper]:
    """Ask sources, named by their places."""
    targets = [ScrapeTarget(Origin(str(place)), engine, source) for place, source in enumerate(sources)]
    scraper = Scraper(targets, pace, clock)
    try:
        yield scraper
    finally:
        for source in sources:
            if isinstance(source, Script):
                source.let_go.set()
        scraper.close()


def state_after(*answers: str | Exception, engine: str = "vllm") -> ScrapeState:
    """Return how a server is doing that gave some answers."""
    script = Script(*answers)
    with scraping(script, engine=engine) as scraper:
        assert script.is_done()
        return scraper.state()[0]


class TestAnswers:
    def test_figures_are_taken_once_and_in_order(self) -> None:
        script = Script(PAGE, PAGE)
        with scraping(script) as scraper:
            assert script.is_done()
            taken = scraper.take()
            assert [(each.server, each.rank, each.counters["scheduler_queried_tokens"]) for each in taken] == [
                ("0", 0, 10),
                ("0", 0, 10),
            ]
            assert taken[0].at < taken[1].at
            assert scraper.take() == []

    def test_what_was_read_before_it_is_known_how_many_ranks_count_is_dropped(self) -> None:
        page = lines(line("sglang:evicted_tokens_total", 400, cache_type="RadixCache"))
        script = Script(page)
        with scraping(script, engine="sglang") as scraper:
            assert script.is_done()
            scraper.learn(Origin("another", 1, 8))
            scraper.learn(Origin("0", 1, 4))
            assert scraper.take() == []
            script.let_go.set()
        later = Script(page, page, waits=True)
        with scraping(later, engine="sglang") as scraper:
            scraper.learn(Origin("0", 1, 4))
            later.may_begin.set()
            assert later.is_done()
            assert {figures.counters["evicted_tokens"] for figures in scraper.take()} == {100.0}

    def test_it_is_asked_at_once_when_that_is_known(self) -> None:
        script = Script(PAGE)
        with scraping(script, pace=Pace(interval_s=1_000)) as scraper:
            assert script.asked[0].wait(PATIENCE_S)
            scraper.learn(Origin("0", 1, 4))
            assert script.is_done()

    def test_each_server_is_asked_on_its_own(self) -> None:
        slow, quick = Script(), Script(PAGE, PAGE, PAGE)
        with scraping(slow, quick) as scraper:
            assert quick.is_done()
            assert {figures.server for figures in scraper.take()} == {"1"}
            assert [state.is_up for state in scraper.state()] == [None, True]

    def test_a_server_is_given_the_deadline(self) -> None:
        script = Script()
        with scraping(script):
            assert script.is_done()
        assert script.seconds[0] == 5

    def test_what_nobody_takes_is_bounded(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scrapers, "MOST_WAITING", 50)
        many = "\n".join(line("vllm:num_requests_running", 1, engine=rank) for rank in range(30))
        script = Script(many, many)
        with scraping(script) as scraper:
            assert script.is_done()
            assert len(scraper.take()) == 50

    def test_all_is_well(self) -> None:
        state = state_after(recorded_page("vllm_0.33.0_t1"))
        assert (state.server, state.engine, state.is_up, state.message) == ("0", "vllm", True, "")
        assert (state.scrapes, state.failures, state.malformed_lines) == (1, 0, 0)
        assert state.last_at is not None

    def test_before_the_first_answer_nothing_is_known(self) -> None:
        state = state_after()
        assert (state.is_up, state.message, state.last_at) == (None, "", None)


class TestFailures:
    def test_they_are_counted_in_a_row_and_told(self) -> None:
        state = state_after(PAGE, OSError("gone"), OSError("gone"))
        assert (state.is_up, state.failures, state.scrapes) == (False, 2, 1)
        assert state.message == "no page of metrics came: OSError: gone"

    def test_a_good_page_ends_them(self) -> None:
        state = state_after(OSError("gone"), PAGE)
        assert (state.is_up, state.failures, state.message) == (True, 0, "")

    def test_an_error_of_any_kind_leaves_the_thread_alive(self) -> None:
        assert state_after(RecursionError(), MemoryError(), KeyError("x"), PAGE).is_up

    def test_a_page_of_something_else_is_one(self) -> None:
        state = state_after("<html></html>")
        assert (state.is_up, state.failures) == (False, 1)
        assert "no page of metrics" in state.message

    def test_a_silent_server_is_said_to_be_silent_before_its_deadline(self) -> None:
        now = [0]
        script = Script(PAGE)
        with scraping(script, clock=lambda: now[0]) as scraper:
            assert script.is_done()
            now[0] = int(1.9 * S)
            assert scraper.state()[0].message.startswith("no answer for 1 s")
            assert scraper.state()[0].is_up


class TestPace:
    def test_pauses_double_up_to_the_longest(self) -> None:
        assert [Pace().wait_s(failures, 0.1) for failures in range(1, 8)] == [1, 2, 4, 8, 16, 30, 30]
        assert Pace().wait_s(10**9, 0.1) == 30

    def test_answers_come_an_interval_apart_unless_the_server_is_slow(self) -> None:
        assert [Pace(interval_s=2).wait_s(0, took) for took in (0, 0.5, 1.5, 60)] == [2, 1.5, 1, 1]

    def test_a_page_that_takes_long_to_read_is_asked_for_less_often(self) -> None:
        assert [Pace(interval_s=2).wait_s(0, 0.1, read) for read in (0.01, 1.0)] == [1.9, 5.0]
        assert Pace().wait_s(1, 0.1, 4.0) == 20


@contextmanager
def talking(address: Address, engine: str, seconds: float = 5) -> Iterator[Callable[[], ScrapeState]]:
    """Ask a server over HTTP, once; what is yielded waits for how that went."""
    ask = page_source(address)
    rest = Script()

    def source(_: float) -> str:
        nonlocal was_asked
        if was_asked:
            return rest(seconds)
        was_asked = True
        return ask(seconds)

    was_asked = False
    scraper = Scraper([ScrapeTarget(Origin("it"), engine, source)], AT_ONCE)

    def state() -> ScrapeState:
        assert rest.is_done()
        return scraper.state()[0]

    try:
        yield state
    finally:
        rest.let_go.set()
        scraper.close()


class TestOverHttp:
    def test_a_page_comes_as_it_is(self) -> None:
        with (
            serving({"/metrics": text_page(recorded_page("sglang_0.5.23_t1"))}) as server,
            talking(server.address, "sglang") as state,
        ):
            assert (state().is_up, state().message) == (True, "")
        assert server.asked == ["/metrics"]

    def test_the_key_goes_along(self) -> None:
        with serving({"/metrics": text_page(PAGE)}) as server:
            assert page_source(server.address, Access(Token("secret")))(5) == PAGE
        assert server.keys == ["Bearer secret"]

    @pytest.mark.parametrize(
        ("page", "engine", "said"),
        [
            (Page(b"", 404), "sglang", "start SGLang with --enable-metrics"),
            (Page(b"", 404), "vllm", "start vLLM without --disable-log-stats"),
            (Page(b"", 401), "sglang", "--api-key"),
            (Page(b"", 500), "sglang", "failed (500)"),
            (text_page("<html></html>", "text/html"), "vllm", "no page of metrics"),
            (text_page("python_info 1\n"), "vllm", "--disable-log-stats"),
            (Page(b"\xff\xfe\x00" * 100), "vllm", "no page of metrics"),
            (Page(b"a" * 9_000_000), "vllm", "more than is read"),
        ],
    )
    def test_an_answer_that_is_no_page_is_told(self, page: Page, engine: str, said: str) -> None:
        with serving({"/metrics": page}) as server, talking(server.address, engine) as state:
            assert said in state().message
            assert not state().is_up

    def test_a_server_that_is_not_there_is_told(self) -> None:
        with talking(Address("127.0.0.1", unused_port()), "vllm") as state:
            assert "nothing listens at" in state().message

    def test_a_page_that_is_cut_off_is_told(self) -> None:
        cut = saying(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n" + PAGE.encode())
        with listening(cut) as address, talking(address, "vllm") as state:
            assert "broke off in the middle" in state().message

    def test_one_that_hangs_up_is_told(self) -> None:
        with listening(hang_up) as address, talking(address, "vllm") as state:
            assert not state().is_up

    @pytest.mark.parametrize("talk", [silence, dribbling(b"HTTP/1.1 200 OK\r\n\r\n", b"a 1\n")], ids=["no", "slow"])
    def test_an_answer_that_does_not_come_to_its_end_is_given_up(self, talk: Callable[..., None]) -> None:
        with listening(talk) as address, talking(address, "vllm", seconds=0.1) as state:
            assert "gave no whole answer within 0.1 s" in state().message


class TestTheEnd:
    def test_it_does_not_wait_for_a_server_that_dribbles(self) -> None:
        asked, ended = Event(), Event()
        with listening(dribbling(b"HTTP/1.1 200 OK\r\n\r\n", b"a 1\n")) as address:
            ask = page_source(address)

            def source(seconds: float) -> str:
                asked.set()
                try:
                    return ask(PATIENCE_S)
                finally:
                    ended.set()

            scraper = Scraper([ScrapeTarget(Origin(str(place)), "vllm", source) for place in range(8)])
            assert asked.wait(PATIENCE_S)
            scraper.close()
            assert not ended.is_set()
        assert ended.wait(PATIENCE_S)

    def test_nothing_comes_after_it(self) -> None:
        script = Script(PAGE)
        with scraping(script) as scraper:
            assert script.is_done()
            scraper.take()
            scraper.close()
            script.let_go.set()
            for server in scraper._servers:
                server.join(PATIENCE_S)
            assert scraper.take() == []

    def test_it_may_come_twice(self) -> None:
        with scraping(Script(PAGE)) as scraper:
            scraper.close()
            scraper.close()
