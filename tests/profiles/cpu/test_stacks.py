"""What py-spy's raw output is read as."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from profiles.cpu.stacks import NO_FRAME, CodeFrame, clean, program, read_frame, read_stacks


def names(text: str) -> list[list[str]]:
    return [[str(frame) for frame in stack] for stack in read_stacks(text)]


def test_a_line_is_a_stack_from_the_root_and_its_count() -> None:
    read = read_stacks("<module> (serve.py:3);RadixCache.match (cache.py:120) 42\n")
    assert read == {(CodeFrame("<module>", "serve.py", 3), CodeFrame("RadixCache.match", "cache.py", 120)): 42}


def test_equal_stacks_are_summed() -> None:
    assert [*read_stacks("f (a.py:1) 2\nf (a.py:1) 3\n").values()] == [5]


def test_a_frame_may_lack_its_line() -> None:
    assert read_frame("PyObject_Call (libpython3.11.so.1.0)") == CodeFrame("PyObject_Call", "libpython3.11.so.1.0")


def test_brackets_in_names_and_files_stay_in_them() -> None:
    shown = [["std::vector<int>::f(int) (libx.so)", "_find (<frozen importlib._bootstrap>:1176)"]]
    assert names("std::vector<int>::f(int) (libx.so);_find (<frozen importlib._bootstrap>:1176) 1") == shown


def test_a_separator_in_the_name_of_a_thread_stays_in_it() -> None:
    assert names("thread (1471): worker; one 12;f (a.py:3) 98") == [["worker； one 12 [thread 1471]", "f (a.py:3)"]]


def test_a_command_line_may_hold_a_separator_and_a_line_break() -> None:
    text = 'process 7:"/bin/python -c x=1; y=\'a"b;c 5\'\nprint(2) 9";thread (7);<module> (<string>:2) 88\n'
    assert names(text) == [["python -c [process 7]", "thread [thread 7]", "<module> (<string>:2)"]]
    assert [*read_stacks(text).values()] == [88]


def test_of_a_command_line_only_the_program_is_kept() -> None:
    assert program("/opt/python3.12 -u -m engine.launch --api-key SECRET") == "python3.12 -m engine.launch"
    assert program("/opt/python3.12 /srv/serve.py --api-key SECRET") == "python3.12 serve.py"
    assert program("/usr/bin/engine SECRET") == "engine"
    assert program("") == "?"


def test_a_sample_without_frames_is_counted_and_named() -> None:
    assert names(" 3") == [[NO_FRAME]]


def test_what_is_no_stack_is_left_out() -> None:
    assert read_stacks("no count\n\nf (a.py:1) -3\nf (a.py:1) 0\n") == {}


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@given(TEXTS, TEXTS)
def test_no_name_breaks_a_collapsed_stack(thread: str, command: str) -> None:
    frames = [
        read_frame(f"thread (12): {thread}"),
        read_frame(f'process 7:"{command}"'),
        CodeFrame(clean(thread), "a.py"),
    ]
    for label in [*map(str, frames), str(read_frame(thread))]:
        assert not re.search(r"[;\n\r]|\s\d[\d.]*$", label)


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    assert all(count > 0 for count in read_stacks(text).values())
