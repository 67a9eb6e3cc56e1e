"""Keys from a file of settings: what they do, where they are told, and which cannot be."""

from __future__ import annotations

import asyncio

import pytest

from radixtop.errors import UsageError
from radixtop.keymap import KEYS
from radixtop.settings.rebind import rebound
from radixtop.settings.setting import Settings
from tests.support.screen import Dashboard, dashboard


def test_every_action_has_a_name_of_its_own() -> None:
    assert len({key.name for key in KEYS}) == len(KEYS)
    assert {"app.pause", "screen.filter", "rows.move(-1)", "view.tree"} <= {key.name for key in KEYS}


@pytest.mark.parametrize(
    ("written", "names", "sign"),
    [
        ("Z", "Z", "Z"),
        ("Z, space", "Z,space", "Z space"),
        ("ctrl+o", "ctrl+o", "ctrl+o"),
        ("!", "exclamation_mark", "!"),
        ("f5,quotation_mark", "f5,quotation_mark", 'f5 "'),
        ("comma", "comma", ","),
        ("shift+up", "shift+up", "shift+↑"),
        ("é", "é", "é"),
    ],
)
def test_a_key_is_written_by_its_name_or_its_character(written: str, names: str, sign: str) -> None:
    key = next(key for key in rebound([("app.pause", written)]) if key.name == "app.pause")
    assert (key.names, key.sign) == (names, sign)


@pytest.mark.parametrize(
    ("given", "said", "hint"),
    [
        ([("app.puase", "p")], "unknown action 'app.puase'", "did you mean app.pause"),
        ([("app.pause", "hyper+p")], "'hyper+p', for app.pause, is no key", "ctrl+p, f5"),
        ([("app.pause", "")], "'', for app.pause, is no key", "a character or a name"),
        ([("app.pause", "banana")], "'banana', for app.pause, is no key", "a character or a name"),
        ([("app.pause", "ctrl+c")], "app.pause cannot have ctrl+c", ""),
        ([("app.quit", "<ignore>")], "'<ignore>', for app.quit, is no key", "a character or a name"),
        ([("app.quit", "ctrl+ctrl+o")], "'ctrl+ctrl+o', for app.quit, is no key", "a character or a name"),
        ([("app.quit", "ctrl+i")], "ctrl+i never comes: terminals send tab for it", "another key, for app.quit"),
        ([("app.quit", "ctrl+m")], "ctrl+m never comes: terminals send enter for it", "another key, for app.quit"),
        ([("app.pause", "q")], "q is both app.quit and app.pause", "another key"),
        ([("app.pause", "s")], "s is both app.pause and tree.order", "another key"),
        ([("view.tree", "t")], "unknown action 'view.tree'", ""),
    ],
)
def test_what_cannot_be_is_one_error_with_both_names(given: list[tuple[str, str]], said: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        rebound(given, "my.toml, [keys]")
    assert caught.value.message.startswith("my.toml, [keys]: ")
    assert said in caught.value.message
    assert hint in caught.value.hint


def test_two_actions_can_swap_their_keys() -> None:
    keys = {key.name: key.names for key in rebound([("app.quit", "x"), ("screen.export", "q")])}
    assert (keys["app.quit"], keys["screen.export"]) == ("x", "q")


def test_the_new_key_acts_the_old_one_does_not_and_both_bars_know() -> None:
    settings = Settings(keys=(("app.pause", "ctrl+o,Z"), ("tree.order", "question_mark"), ("app.help", "Y")))
    stopped = "there is no other moment to go to"

    async def scenario(running: Dashboard) -> None:
        await running.press("space")
        assert stopped not in running.text()
        await running.press("Z")
        assert stopped in running.text()
        await running.press("2", "question_mark")
        assert "by hits" in running.text()
        assert "ctrl+o Z pause" in running.lines()[-1]
        await running.press("Y")
        assert "keys" in running.text()
        assert any(line.split()[1:3] == ["ctrl+o", "Z"] for line in running.lines() if "stop the moment" in line)

    async def main() -> None:
        async with dashboard(120, 60, settings=settings) as running:
            await scenario(running)

    asyncio.run(main())
