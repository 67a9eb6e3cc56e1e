"""The flags that ask for the text of prompts, and what they amount to. Nothing is ever downloaded."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from probes.text_options import TextOptions
from radixtop.engine_target import EngineTarget, NetworkTarget, network_target_of
from radixtop.errors import RadixtopError, UsageError

Text = Annotated[
    bool, typer.Option("--text", help="Show what prompts say: their server is asked for the text of tokens in sight.")
]
Tokenizer = Annotated[
    str | None,
    typer.Option("--tokenizer", metavar="PATH|NAME", help="The same, by a tokenizer on this disk: nobody is asked."),
]
TextFrom = Annotated[
    str | None,
    typer.Option("--text-from", metavar="TARGET", help="The same, by another server: of tcp:// and saved events."),
]

FILE = "tokenizer.json"
_NAME = re.compile(r"[\w-][\w.-]{0,95}(/[\w-][\w.-]{0,95})?")
_NO_DOWNLOAD = "nothing is downloaded: give the path of a tokenizer.json, or of a folder with one"


@dataclass(frozen=True, slots=True)
class TextFlags:
    """What the flags say."""

    text: bool = False
    tokenizer: str | None = None
    text_from: str | None = None

    @property
    def is_wanted(self) -> bool:
        """Whether text is asked for at all."""
        return self.text or self.tokenizer is not None or self.text_from is not None


def text_options_of(flags: TextFlags, targets: Sequence[NetworkTarget]) -> TextOptions | None:
    """Return who is asked for text, None where nobody wants it.

    Raises UsageError where nobody knows it, RadixtopError where a library is missing.
    """
    if not flags.is_wanted:
        return None
    if not targets:
        raise UsageError("a process of this machine tells no tokens, so there is no text", "leave --text out")
    if flags.tokenizer is not None and flags.text_from is not None:
        raise UsageError("--tokenizer and --text-from both say who tells the text", "leave one out")
    if flags.tokenizer is not None:
        if find_spec("tokenizers") is None:
            said = "--tokenizer needs the library tokenizers, which is not installed"
            raise RadixtopError(said, "pip install 'radixtop[text]'")
        return TextOptions(tokenizer=tokenizer_file(flags.tokenizer))
    if flags.text_from is not None:
        server = network_target_of(flags.text_from)
        if not isinstance(server, EngineTarget):
            hint = "name it as sglang://HOST:PORT or vllm://HOST:PORT"
            raise UsageError(f"--text-from {flags.text_from} is no server", hint)
        return TextOptions(engine=server.engine, address=server.address)
    stream = next((target for target in targets if not isinstance(target, EngineTarget)), None)
    if stream is not None:
        hint = "--tokenizer PATH, or --text-from sglang://HOST:PORT or vllm://HOST:PORT, the server of the stream"
        raise UsageError(f"{stream} carries tokens but nobody there knows their text", hint)
    return TextOptions()


def tokenizer_file(text: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Return the file that a path, or the name of a model on this disk, means. Raises UsageError for none."""
    path = Path(os.path.expanduser(text))
    if os.path.isfile(path):
        return path
    if os.path.isdir(path):
        if (path / FILE).is_file():
            return path / FILE
        raise UsageError(f"--tokenizer {text}: that folder has no {FILE}", _NO_DOWNLOAD)
    if _NAME.fullmatch(text):
        found = next(_downloaded(text, environment), None)
        if found is not None:
            return found
    raise UsageError(f"--tokenizer {text}: there is none of that name on this disk", _NO_DOWNLOAD)


def _downloaded(name: str, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the tokenizers of a model that others have downloaded, the newest first."""
    home = environment.get("HF_HOME") or "~/.cache/huggingface"
    hub = Path(environment.get("HF_HUB_CACHE") or f"{home}/hub").expanduser()
    snapshots = hub / f"models--{name.replace('/', '--')}" / "snapshots"
    found = [path for path in snapshots.glob(f"*/{FILE}") if path.is_file()]
    yield from sorted(found, key=lambda path: path.stat().st_mtime, reverse=True)
