"""Where exports go: stdout, or a file that is there whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from radixtop.errors import UsageError
from radixtop.printable import tell

if TYPE_CHECKING:
    from probes.recordings.missing import Missing
    from profiles.exporter import ExportOptions


def export_recording(file: Path, format: str, options: ExportOptions, output: Path | None) -> None:
    """Write a recording in one of the EXPORTERS; what is wrong with it goes to stderr.

    It goes to stdout without `output`, to a file named after the recording if that is a folder, and is compressed if
    the name ends in .gz.
    """
    from profiles.exporter import EXPORTERS, export
    from profiles.profile import RecordedProfile

    exporter = EXPORTERS.load(format)
    if output is not None and output.is_dir():
        output /= f"{file.name.removesuffix(file.suffix)}{exporter.suffix}"
    with (
        RecordedProfile(file) as profile,
        opened(output, is_text=exporter.is_text, source=file) as out,
        packed(out, output, exporter.suffix) as packed_out,
    ):
        export(profile, format, options, packed_out)
        tell_missing(file, profile.missing)
    tell_written(output)


def tell_missing(name: str | Path, missing: Missing) -> None:
    """Say on stderr in one line what is missing of a recording; nothing of one that is whole."""
    if missing.line:
        tell(f"{name}: {missing.line}")


def tell_written(output: Path | None, what: str = "") -> None:
    """Say on stderr which file was written, and what of; nothing of stdout."""
    if output is not None:
        tell(f"wrote {output}{what and f': {what}'}")


@contextmanager
def packed(out: BinaryIO, output: Path | None, suffix: str) -> Iterator[BinaryIO]:
    """Yield where to write: `out`, compressed if its name ends in .gz and the format does not anyway."""
    if output is None or output.suffix != ".gz" or suffix.endswith(".gz"):
        yield out
        return
    import gzip

    with gzip.GzipFile("", "wb", 6, out, mtime=0) as packed:
        yield cast(BinaryIO, packed)


@contextmanager
def opened(output: Path | None, *, is_text: bool = True, source: Path | None = None) -> Iterator[BinaryIO]:
    """Yield where to write: stdout, or a file that takes its place only when all was written.

    Raises UsageError for bytes that would go to a terminal and for an output that is the source, OSError for a file
    that cannot be made or written.
    """
    if output is None:
        if not is_text and sys.stdout.isatty():
            raise UsageError("this format is no text, and stdout is a terminal", "name a file: -o OUT")
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    if source is not None:
        spare(source, output)
    with _named(output):
        if output.exists() and not stat.S_ISREG(output.stat().st_mode):
            with open(output, "wb") as out:  # a device or a pipe: nothing can take its place
                yield out
        else:
            with _in_place_of(output) as out:
                yield out


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Let an error of the system that names no file be about this one: a write that finds the disk full."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


def write_new(path: Path, raw: bytes) -> None:
    """Write a file that is not there yet, whole or not at all, for this user alone.

    Raises OSError, FileExistsError among them.
    """
    try:
        with open(path, "xb", opener=_for_us) as out:
            out.write(raw)
    except FileExistsError:
        raise
    except OSError:
        path.unlink(missing_ok=True)
        raise


def _for_us(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def spare(source: Path, output: Path) -> None:
    """Raise UsageError when the output would take the place of what is read."""
    if output.exists() and source.exists() and output.samefile(source):
        raise UsageError(f"{output} is the recording itself", "choose another file for --output")


@contextmanager
def _in_place_of(path: Path) -> Iterator[BinaryIO]:
    """Yield a new file that becomes `path` at the end, and is removed when something is raised."""
    try:
        target = path.resolve()  # a link stays one
        out = tempfile.NamedTemporaryFile(dir=target.parent, prefix=".radixtop-", delete=False)  # noqa: SIM115
    except RuntimeError:  # what `resolve` says of links that lead to themselves
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None
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
