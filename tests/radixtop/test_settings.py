"""Settings: who wins, what a file may say, and how a bad one is answered."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from radixtop import cli
from radixtop.errors import UsageError
from radixtop.settings.debug_options import told
from radixtop.settings.file import MOST_BYTES, read
from radixtop.settings.kind import Value
from radixtop.settings.place import find
from radixtop.settings.setting import DEFAULTS, HZ, SETTINGS, Settings
from radixtop.settings.settle import settle

OTHERS: dict[str, tuple[Value, str]] = {
    "theme": ("light", '"light"'),
    "ascii": (True, "true"),
    "color": (False, "false"),
    "mouse": (False, "false"),
    "interval": (0.5, "0.5"),
    "view": ("tree", '"tree"'),
    "history": (5_000_000, '"5MB"'),
}
"""For each setting a value that is not its default, and how a file writes it."""


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of ours, no file of ours."""
    for name in ("NO_COLOR", "RADIXTOP_CONFIG", *(each.variable for each in (*SETTINGS, HZ))):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


def written(tmp_path: Path, text: str, name: str = "radixtop.toml") -> Path:
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


# ---- who wins


def test_the_defaults_of_the_table_are_those_of_the_settings() -> None:
    assert {each.name: each.default for each in SETTINGS} == {name: getattr(DEFAULTS, name) for name in OTHERS}


@pytest.mark.parametrize("name", OTHERS)
def test_a_flag_beats_a_variable_beats_a_file_beats_the_default(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    default = getattr(DEFAULTS, name)
    other, in_file = OTHERS[name]
    assert (getattr(settle({}).settings, name), settle({}).origins[name]) == (default, "default")
    written(tmp_path, f"{name} = {in_file}")
    assert (getattr(settle({}).settings, name), settle({}).origins[name]) == (other, "radixtop.toml")
    monkeypatch.setenv(f"RADIXTOP_{name.upper()}", str(default))
    assert (getattr(settle({}).settings, name), settle({}).origins[name]) == (default, f"RADIXTOP_{name.upper()}")
    settled = settle({name: other})
    assert getattr(settled.settings, name) == other
    assert settled.origins[name].startswith("--")


def test_no_color_says_no_where_nothing_more_exact_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert (settle({}).settings.color, settle({}).origins["color"]) == (False, "NO_COLOR")
    monkeypatch.setenv("RADIXTOP_COLOR", "yes")
    assert settle({}).settings.color
    monkeypatch.delenv("RADIXTOP_COLOR")
    assert settle({"color": True}).settings.color
    monkeypatch.setenv("NO_COLOR", "")
    assert settle({}).settings.color


@pytest.mark.parametrize("hz", [0.1, 4.0, 30.0])
def test_hz_is_another_word_for_the_interval(hz: float, tmp_path: Path) -> None:
    assert settle({"hz": hz}).settings.interval == pytest.approx(1 / hz)
    written(tmp_path, f"hz = {hz}\n")
    assert settle({}).settings.hz == pytest.approx(hz)
    assert settle({"interval": 2.0}).settings.interval == 2.0


def test_both_words_for_the_interval_at_once_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--hz and --interval: hz and interval say the same"):
        settle({"hz": 2.0, "interval": 1.0})
    written(tmp_path, "hz = 2\ninterval = 1\n")
    with pytest.raises(UsageError, match=r"^radixtop.toml: hz and interval say the same"):
        settle({})


def test_one_file_is_read_the_nearest_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    written(tmp_path, 'theme = "light"', "config/radixtop/config.toml")
    assert settle({}).settings.theme == "light"
    written(tmp_path, "mouse = false")
    assert settle({}).settings == Settings(mouse=False)
    monkeypatch.setenv("RADIXTOP_CONFIG", str(written(tmp_path, "ascii = true", "by_variable.toml")))
    assert settle({}).settings == Settings(ascii=True)
    named = written(tmp_path, "interval = 3", "by_flag.toml")
    assert settle({}, named).settings == Settings(interval=3.0)


def test_without_an_xdg_folder_it_is_the_one_in_the_home(tmp_path: Path) -> None:
    path = written(tmp_path, "", ".config/radixtop/config.toml")
    assert find(None, {"HOME": str(tmp_path), "XDG_CONFIG_HOME": "relative/is/not/valid"}, tmp_path / "x") == path
    assert find(None, {}, tmp_path / "x") is None


# ---- files that cannot be meant


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ('\n\nthme = "dark"', "line 3: unknown setting 'thme'", "did you mean theme? choose from: theme, ascii"),
        ('theme = "pink"', 'line 1: theme = "pink"', "one of dark, light, ansi, colorblind, ascii"),
        ("mouse = 1", "line 1: mouse = 1", "true or false"),
        ("ascii = 'yes'", 'line 1: ascii = "yes"', "true or false"),
        ("interval = 0", "line 1: interval = 0", "a number from 0.0333333 to 10 (seconds)"),
        ("interval = nan", "line 1: interval = nan", "a number from"),
        ("interval = true", "line 1: interval = true", "a number from"),
        ('history = "much"', 'line 1: history = "much"', "a size such as 64MB"),
        ("history = true", "line 1: history = true", "a size such as 64MB"),
        ('view = "everything"', 'line 1: view = "everything"', "one of overview, tree"),
        ("theme = ", "no TOML: Invalid value (at end of document)", 'theme = "light"'),
        ("[theme]\na = 1", "line 1: theme = {'a': 1}", "one of dark"),
        ("keys = 3", "line 1: keys is a table", "[keys]"),
        ("[keys]\napp.pause = 'p'", "line 2: the keys of 'app' are no text", "quote a name with a dot"),
        ("[keys]\n'app.pause' = 3", "line 2: the keys of 'app.pause' are no text", '"app.pause" = "p"'),
        ("x = " + "[" * 30_000, "nests too deep", ""),
        ("interval = " + "9" * 5_000, "no TOML", ""),
        ("#" * (MOST_BYTES + 1), "longer than 64 KiB", ""),
        ("theme = \"da\x00rk\"", "no TOML", ""),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_error_with_its_place_and_the_choices(
    text: str, said: str, hint: str, tmp_path: Path
) -> None:
    path = written(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        read(path)
    assert caught.value.message.startswith(str(path))
    assert said in caught.value.message
    assert hint in caught.value.hint
    assert len(caught.value.message) < 400


def test_what_is_no_text_or_no_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.toml"
    path.write_bytes(b"theme = '\xe9'")
    with pytest.raises(UsageError, match="byte 9 is no UTF-8"):
        read(path)
    with pytest.raises(UsageError, match="no file of settings"):
        read(Path("/dev/zero"))
    with pytest.raises(FileNotFoundError):
        settle({}, tmp_path / "missing.toml")


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_a_file_holds_it_is_settings_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzzed.toml"
    path.write_bytes(raw)
    try:
        assert read(path).path == path
    except UsageError as error:
        assert error.message.startswith(str(path))


@pytest.mark.parametrize(
    ("variable", "text", "said"),
    [
        ("RADIXTOP_THEME", "pink", "RADIXTOP_THEME=pink: theme is one of dark"),
        ("RADIXTOP_MOUSE", "perhaps", "RADIXTOP_MOUSE=perhaps: mouse is one of yes, true"),
        ("RADIXTOP_INTERVAL", "fast", "RADIXTOP_INTERVAL=fast: interval is a number"),
        ("RADIXTOP_HZ", "31", "RADIXTOP_HZ=31: hz is a number from 0.1 to 30"),
    ],
)
def test_a_bad_variable_is_named_with_its_choices(
    variable: str, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, text)
    with pytest.raises(UsageError) as caught:
        settle({})
    assert caught.value.message.startswith(said)


# ---- on the command line


def test_debug_options_tells_every_setting_and_who_won(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    written(tmp_path, 'theme = "light"\n[keys]\n"app.pause" = "p, space"\n')
    monkeypatch.setenv("RADIXTOP_VIEW", "tree")
    assert cli.main(["--debug-options", "-U", "-M", "-d", "2", "--theme", "ansi"]) == 0
    out = capsys.readouterr().out
    rows = {name: rest for name, *rest in (line.split() for line in out.splitlines())}
    assert [*rows][: len(SETTINGS) + 1] == ["setting", *(each.name for each in SETTINGS)]
    assert rows["theme"] == ["ansi", "--theme"]
    assert rows["ascii"] == ["true", "--ascii"]
    assert rows["mouse"] == ["false", "--no-mouse"]
    assert rows["color"] == ["true", "default"]
    assert rows["interval"] == ["2", "--interval"]
    assert rows["view"] == ["tree", "RADIXTOP_VIEW"]
    assert rows["keys.app.pause"] == ["p,space", "radixtop.toml"]
    assert rows["keys.app.quit"] == ["q", "default"]
    assert rows["file"] == ["radixtop.toml"]
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--theme", "pink"], "dark, light, ansi, colorblind, ascii"),
        (["--interval", "0"], "a number from 0.0333333 to 10 (seconds)"),
        (["--view", "everything"], "overview, tree"),
        (["--config", "missing.toml"], "missing.toml"),
    ],
)
def test_a_bad_flag_is_answered_with_the_choices(
    flags: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["play", "run.rtrec", *flags]) == (1 if "--config" in flags else 2)
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in " ".join(shown.err.split())


def test_a_bad_file_of_the_folder_ends_every_command_that_watches(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    written(tmp_path, "[keys]\n'app.puase' = 'p'\n")
    assert cli.main(["play", "run.rtrec"]) == 2
    assert "radixtop.toml, [keys]: unknown action 'app.puase'" in capsys.readouterr().err
    assert cli.main([]) == 2


def test_every_setting_is_told_once(tmp_path: Path) -> None:
    names = [line.split()[0] for line in told(settle({}))]
    assert len(names) == len(set(names))
