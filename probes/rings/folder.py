"""Where rings live: a folder in memory that only its user can enter, the names in it, and who still writes there.

A living writer holds a lock on its ring file, which the kernel drops with the process however it dies.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from probes.errors import RingError

SHARED_MEMORY = Path("/dev/shm")
PRIVATE_FOLDER_HINT = "set XDG_RUNTIME_DIR to a private folder"
_NAME = re.compile(r"(?P<pid>\d+)-(?P<rank>\d+)\.(?P<rest>ring|ring\.new|\d+\.snapshot)")


@dataclass(frozen=True, slots=True)
class RingName:
    """Whose ring a file in the folder belongs to."""

    pid: int
    rank: int
    path: Path

    def __str__(self) -> str:
        """Return what it is called where people name rings."""
        return spoken_name(self.pid, self.rank)


def spoken_name(pid: int, rank: int) -> str:
    """Return what people call a ring: shm:PID, or shm:PID-RANK for a rank other than 0."""
    return f"shm:{pid}-{rank}" if rank else f"shm:{pid}"


def ring_path(folder: Path, pid: int, rank: int) -> Path:
    """Return the path of a process's ring."""
    return folder / f"{pid}-{rank}.ring"


def side_path(folder: Path, pid: int, rank: int, snapshot: int) -> Path:
    """Return the path of the side file of one snapshot."""
    return folder / f"{pid}-{rank}.{snapshot}.snapshot"


def default_folder(uid: int | None = None) -> Path:
    """Return the folder of a user's rings, made or not. Raises RingError on a machine that has no place for it."""
    name = f"radixtop-{os.geteuid() if uid is None else uid}"
    if SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK | os.X_OK):
        return SHARED_MEMORY / name
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and os.access(runtime, os.W_OK | os.X_OK):
        return Path(runtime) / name
    raise RingError(f"no place for a ring: {SHARED_MEMORY} is not writable", PRIVATE_FOLDER_HINT)


def owner_of(pid: int) -> int:
    """Return whose rings to look for: the owner's of the process for root, who may look at anyone's, else our own."""
    try:
        return os.geteuid() or os.stat(f"/proc/{pid}").st_uid
    except OSError:
        return os.geteuid()


def make_folder(folder: Path) -> Path:
    """Make the folder, or check the one that is there, and return it. Raises RingError when it is not ours alone."""
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise RingError(f"cannot make {folder}: {error.strerror}", PRIVATE_FOLDER_HINT) from error
    check_folder(folder, os.geteuid())
    if stat.S_IMODE(os.lstat(folder).st_mode) != 0o700:
        os.chmod(folder, 0o700)
    return folder


def check_folder(folder: Path, uid: int) -> None:
    """Raise RingError unless `folder` is a real folder that belongs to `uid`."""
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode):
        raise RingError(f"{folder} is no folder (a link or a file)", "remove it: someone else may have put it there")
    if found.st_uid != uid:
        raise RingError(f"{folder} belongs to user {found.st_uid}, not to {uid}", "ask that user to remove it")


def list_rings(folder: Path) -> list[RingName]:
    """Return the rings in `folder`, of the living and the dead, by pid and rank."""
    matches = [(match, path) for match, path in named_files(folder) if match["rest"] == "ring"]
    return sorted((RingName(int(m["pid"]), int(m["rank"]), p) for m, p in matches), key=lambda r: (r.pid, r.rank))


def is_locked(path: Path) -> bool:
    """Say whether a living writer holds the ring file at `path`."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        return holds_lock(fd)
    finally:
        os.close(fd)


def holds_lock(fd: int) -> bool:
    """Say whether someone else holds the lock of the open file `fd`."""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    fcntl.flock(fd, fcntl.LOCK_UN)
    return False


def named_files(folder: Path) -> list[tuple[re.Match[str], Path]]:
    """Return every file of the recorder in `folder`, with the `pid`, `rank` and `rest` of its name."""
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [(match, folder / name) for name in names if (match := _NAME.fullmatch(name))]
