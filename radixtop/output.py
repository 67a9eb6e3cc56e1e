"""Where exports go: stdout, or a file that is there whole or not at all."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from radixtop.errors import UsageError

if TYPE_CHECKING:
    from profiles.exporter import ExportOptions


def export_recording(file: Path, format: str, options: ExportOptions, output: Path | None) -> None:
    """Write a recording in one of the EXPORTERS to `output` or stdout; what is wrong with it goes to stderr."""
    from profiles.exporter import EXPORTERS, export
    from profiles.profile import RecordedProfile

    is_text = EXPORTERS.load(format).is_text
    with RecordedProfile(file) as profile, opened(output, is_text=is_text, source=file) as out:
        export(profile, format, options, out)
        for remark in profile.remarks:
            sys.stderr.write(f"{file}: {remark}\n")
    if output is not None:
        sys.stderr.write(f"wrote {output}\n")


@contextmanager
def opened(output: Path | None, *, is_text: bool = True, source: Path | None = None) -> Iterator[BinaryIO]:
    """Yield where to write: stdout, or a file that takes its place only when all was written.

    Raises UsageError for bytes that would go to a terminal and for an output that is the source, OSError for a file
    that cannot be made.
    """
    if output is None:
        if not is_text and sys.stdout.isatty():
            raise UsageError("this format is no text, and stdout is a terminal", "name a file: -o OUT")
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    elif source is not None and output.exists() and source.exists() and output.samefile(source):
        raise UsageError(f"{output} is the recording itself", "choose another file for --output")
    elif output.exists() and not stat.S_ISREG(output.stat().st_mode):
        with open(output, "wb") as out:  # a device or a pipe: nothing can take its place
            yield out
    else:
        with _in_place_of(output) as out:
            yield out


@contextmanager
def _in_place_of(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that becomes `path` at the end, and is removed when something is raised."""
    target = path.resolve()  # a link stays one
    try:
        out = tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False)  # noqa: SIM115
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    try:
        with out:
            yield cast(BinaryIO, out.file)
        os.chmod(out.name, _mode(target))
        os.replace(out.name, target)
    except BaseException:
        os.unlink(out.name)
        raise


def _mode(path: Path) -> int:
    """Return the permissions of the file at `path`, or those of a new one."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
