"""Where users have files written: checked before any work, written aside and renamed when whole."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import InputError, Problem

_LONGEST = 200
"""Bytes of a name that an unfinished file's own name has room for beside its ending."""


def check_place(output: str, inputs: Iterable[str], option: str = "-o") -> Path:
    """Return the file that writing to *output* writes: what a symbolic link points at.

    Raises
    ------
    InputError
        ``output_empty`` (of *option*), ``output_not_a_file`` (a folder, a device, a pipe: a finished file is
        renamed into place and would replace it), or ``output_is_input``, by whatever name or link.
    """
    if not output:
        raise InputError(Problem("output_empty", option))
    place = followed(Path(output))
    if place.exists() and not place.is_file():
        raise InputError(Problem("output_not_a_file", output))
    for name in inputs:
        with contextlib.suppress(OSError, ValueError):
            if place.samefile(name):
                raise InputError(Problem("output_is_input", output))
    return place


def followed(path: Path) -> Path:
    """Return what *path* points at, itself if it is no symbolic link."""
    return Path(os.path.realpath(path)) if path.is_symlink() else path


@contextlib.contextmanager
def finished_file(path: Path) -> Iterator[Path]:
    """Give a place to write to; it becomes *path* when the block ends without an exception.

    What a symbolic link points at is written, the link stays. What dead processes left unfinished of this
    file is removed.

    Raises
    ------
    OSError
        Naming *path*, whatever went wrong on the way: a full disk, a folder that may not be written to.
    """
    place = followed(path)
    name = os.fsdecode(os.fsencode(place.name)[:_LONGEST])
    temporary = place.with_name(f".{name}.{os.getpid()}.tmp")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(place.parent, name)
        yield temporary
        temporary.replace(place)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _remove_leftovers(folder: Path, name: str) -> None:
    """Remove unfinished files of *name* whose writers are gone; those of others may be at work elsewhere."""
    unfinished = re.compile(rf"\.{re.escape(name)}\.(\d{{1,9}})\.tmp")
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = unfinished.fullmatch(entry.name)
            if found is not None and not _alive(int(found[1])):
                with contextlib.suppress(OSError):
                    os.unlink(entry.path)  # noqa: PTH108 - as scandir gives it


def _alive(pid: int) -> bool:
    """Return whether a process has the number *pid*; True where asking is not safe."""
    if os.name == "nt":  # there os.kill() ends the process, whatever the signal
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
