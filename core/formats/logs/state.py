"""The file ``trainer_state.json``, which has to be in memory as a whole."""

from __future__ import annotations

import os

from core.errors import InputError, Problem
from core.formats.logs import dicts
from core.formats.logs.lines import blocks_of
from core.formats.logs.record import LogRecord

_LARGEST = 512 << 20
"""Bytes."""


def read_state(path: str) -> list[LogRecord]:
    """Return the records of the ``trainer_state.json`` at *path*.

    Raises
    ------
    InputError
        ``log_state_broken``, ``log_state_too_large``.
    OSError
        If it cannot be read.
    """
    size = os.path.getsize(path)  # noqa: PTH202 - a path as the user gave it
    if size > _LARGEST:
        raise InputError(Problem("log_state_too_large", path, {"size": size >> 20, "most": _LARGEST >> 20}))
    try:
        return list(dicts.records_of_state(dicts.parse_state(b"".join(blocks_of(path)))))
    except (ValueError, RecursionError) as error:
        detail = str(error) or type(error).__name__
        raise InputError(Problem("log_state_broken", path, {"detail": detail})) from None
