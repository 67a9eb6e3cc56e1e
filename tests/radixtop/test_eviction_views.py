"""The keys of the views on evictions and on ages, each in one run."""

from __future__ import annotations

import asyncio

from radixtop.screens.node import NodeScreen
from radixtop.view import VIEW_KEYS, VIEWS
from tests.support.screen import dashboard


def key_of(view: str) -> str:
    return VIEW_KEYS[view]


def test_what_goes_next_is_opened_and_judged_by_keys() -> None:
    async def main() -> None:
        async with dashboard(120, 40) as running:
            await running.press(key_of("evictions"))
            assert "next to evict: full, lru" in running.text() and "within 30 s" in running.text()
            await running.press("w")
            assert "(swa) came back within 60 s" in running.text()
            await running.press("down", "enter")
            assert isinstance(running.app.screen, NodeScreen)
            assert "1,755..+99" in running.text()
            await running.press("escape", "c")
            assert "next to evict: swa" in running.text() and "the order of swa is not known" in running.text()
            await running.press("escape")
            assert running.app._main.view.id == next(iter(VIEWS))

    asyncio.run(main())


def test_ages_of_the_next_component_are_shown_by_a_key() -> None:
    async def main() -> None:
        async with dashboard(120, 40) as running:
            await running.press(key_of("ages"))
            assert "when reused: full" in running.text() and "9,644 tokens of full" in running.text()
            await running.press("c")
            assert "when reused: swa" in running.text() and "tokens of swa" in running.text()
            assert "(swa) had been idle for" in running.text()

    asyncio.run(main())


def test_what_a_source_does_not_tell_is_said_in_words() -> None:
    async def main() -> None:
        async with dashboard(80, 24) as running:
            running.source.samples = {}
            running.source.mirror = None
            await running.tick()
            await running.press(key_of("evictions"))
            assert "this source tells of no evictions" in running.text()
            assert "the tree is not known yet" in running.text()
            await running.press(key_of("ages"))
            assert "this source does not tell ages" in running.text()

    asyncio.run(main())
