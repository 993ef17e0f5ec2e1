"""Lock files whose locks the kernel gives up when their last holder dies."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Self


class LockFile:
    """An open lock file.

    The lock belongs to the open file: forked children and programs that are handed `fd`
    hold it too, and it ends when the last of them closes it or dies, however it dies.
    """

    def __init__(self, path: Path, fd: int | None = None) -> None:
        """Open (or create) `path`, or take over `fd`, inherited from another process."""
        self.path = path
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        self.fd = os.open(path, flags, 0o600) if fd is None else fd

    def try_exclusive(self) -> bool:
        """Take the lock alone; False when anybody else holds it."""
        return self._try(fcntl.LOCK_EX)

    def try_shared(self) -> bool:
        """Take the lock beside other sharers; False when somebody holds it alone."""
        return self._try(fcntl.LOCK_SH)

    def _try(self, kind: int) -> bool:
        try:
            fcntl.flock(self.fd, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        """Give the lock up for every holder of this open file."""
        fcntl.flock(self.fd, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close this copy; other holders of the open file keep the lock."""
        os.close(self.fd)

    def is_current(self) -> bool:
        """False when the file was deleted or replaced, so that nobody new can meet us here."""
        try:
            there = os.stat(self.path)
        except FileNotFoundError:
            return False
        here = os.fstat(self.fd)
        return (there.st_dev, there.st_ino) == (here.st_dev, here.st_ino)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def is_locked(path: Path) -> bool:
    """Whether any process holds the lock file's lock."""
    if not path.exists():
        return False
    with LockFile(path) as lock:
        return not lock.try_exclusive()
