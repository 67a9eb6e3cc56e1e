"""How `radixtop run` becomes the engine that it is asked to start."""

from __future__ import annotations

import errno
import os
import shutil
import signal
from collections.abc import Sequence
from typing import NoReturn

from probes.inside.environment import with_probes
from probes.inside.import_folders import held_folder, sweep_folders
from radixtop import __version__
from radixtop.errors import RadixtopError
from radixtop.printable import tell

_IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
"""What Python ignores from its start on; another program is not to inherit that."""


def replace_process(words: Sequence[str]) -> NoReturn:
    """Say where to attach, then run a command in the place of this process.

    Raises RadixtopError when it cannot be started, RingError where the probes' files cannot be.
    """
    if shutil.which(words[0]) is None:  # before anybody is told to watch it
        is_there = os.path.dirname(words[0]) and os.path.exists(words[0])
        raise _not_started(words[0], os.strerror(errno.EACCES if is_there else errno.ENOENT))
    folder, _ = held_folder(__version__)  # as long as the engine lives
    sweep_folders(folder.parent, but=folder)
    environment = with_probes(os.environ, __version__)
    tell(f"radixtop: once its cache is there, watch it from elsewhere: radixtop attach {os.getpid()}")
    ours = [signal.signal(number, signal.SIG_DFL) for number in _IGNORED]
    try:
        os.execvpe(words[0], list(words), environment)
    except OSError as error:
        for number, before in zip(_IGNORED, ours, strict=True):
            signal.signal(number, before)
        raise _not_started(words[0], error.strerror) from error


def _not_started(program: str, why: str | None) -> RadixtopError:
    return RadixtopError(f"cannot start {program}: {why}", "name a program as a shell would, after `--`")
