"""Who tells the text of tokens: servers that answer well and others, and tokenizers on this disk."""

from __future__ import annotations

import builtins
import json
from pathlib import Path
from typing import Any

import pytest

from probes.engines.access import Access, Address, Token
from probes.engines.errors import DeniedError, UnknownPathError, UnreachableError
from probes.engines.http import HttpClient
from probes.errors import ProbeError, TextError, UnreadableTokensError
from probes.text import TEXT_SOURCES, TextSource
from probes.texts.tokenizer import TokenizerText
from tests.support.fake_server import listening, saying, unused_port
from tests.support.text_server import detokenizing

ENGINES = TEXT_SOURCES.names
ROWS = ([72, 105], [0x1F600, 10, 27])


def source(engine: str, address: Address, deadline_s: float = 2.0) -> TextSource:
    access = Access(Token("a-secret"), deadline_s=deadline_s, most_bytes=4_000)
    return TEXT_SOURCES.load(engine)(HttpClient(address, access))


@pytest.mark.parametrize("engine", ENGINES)
def test_every_row_of_tokens_has_its_text(engine: str) -> None:
    with detokenizing(engine) as server:
        assert source(engine, server.address).decode(ROWS) == ["Hi", "\U0001f600\n\x1b"]
    assert sorted(server.rows) == sorted(map(tuple, ROWS))
    assert set(server.keys) == {"Bearer a-secret"}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (401, b"", DeniedError),
        (404, b"", UnknownPathError),
        (500, b"SECRET PROMPT", UnreadableTokensError),
        (200, b"\x00\xffSECRET", UnreadableTokensError),
        (200, b'{"text": ["SECRET"], "prompt": ["SECRET"]}', UnreadableTokensError),
        (200, b'{"text": [1, 2], "prompt": 3}', UnreadableTokensError),
        (200, b'{"text": "SECRET one text", "prompt": null}', UnreadableTokensError),
        (200, b"[]", UnreadableTokensError),
        (200, b'{"text": "' + b"S" * 9_000 + b'"}', UnreadableTokensError),
    ],
)
def test_what_a_server_says_wrongly_is_an_error_without_text(
    engine: str, status: int, body: bytes, error: type[ProbeError]
) -> None:
    with detokenizing(engine, status=status, body=body) as server, pytest.raises(error) as raised:
        source(engine, server.address).decode(ROWS)
    assert "SECRET" not in str(raised.value)
    assert "a-secret" not in str(raised.value)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_server_that_is_not_there_or_does_not_end_is_no_fault_of_the_tokens(engine: str) -> None:
    with pytest.raises(UnreachableError):
        source(engine, Address("127.0.0.1", unused_port())).decode(ROWS)
    with listening(saying(b"HTTP/1.1 200 OK\r\n", then_wait=True)) as address, pytest.raises(UnreachableError):
        source(engine, address, 0.05).decode(ROWS)


def made_tokenizer(folder: Path) -> Path:
    """Write a tokenizer of four words."""
    document = {
        "version": "1.0",
        "added_tokens": [{"id": 3, "content": "<|im_start|>", "special": True, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False}],
        "model": {"type": "WordLevel", "vocab": {"you": 0, "are": 1, "[UNK]": 2, "<|im_start|>": 3},
                  "unk_token": "[UNK]"},
    }  # fmt: skip
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(document))
    return path


def test_a_tokenizer_on_this_disk_tells_special_tokens_too(tmp_path: Path) -> None:
    found = TokenizerText(made_tokenizer(tmp_path)).decode([[3, 0, 1], [1]])
    assert found == ["<|im_start|> you are", "are"]


def test_tokens_of_another_model_are_no_crash(tmp_path: Path) -> None:
    with pytest.raises(UnreadableTokensError):
        TokenizerText(made_tokenizer(tmp_path)).decode([[-1]])


def test_a_file_that_holds_no_tokenizer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text("{}")
    with pytest.raises(TextError, match=r"tokenizer\.json holds no tokenizer"):
        TokenizerText(path)


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = builtins.__import__

    def refuse(name: str, *rest: Any, **more: Any) -> Any:
        if name == "tokenizers":
            raise ImportError(name)
        return load(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(TextError, match=r"radixtop\[text\]"):
        TokenizerText(tmp_path / "tokenizer.json")
