"""Logs that are one document of JSON, which has to be in memory as a whole."""

from __future__ import annotations

import os

from core.errors import InputError, Problem
from core.formats.logs import dicts, document
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
    try:
        return list(dicts.records_of_state(dicts.parse_state(_content(path, "log_state_too_large"))))
    except (ValueError, RecursionError) as error:
        detail = str(error) or type(error).__name__
        raise InputError(Problem("log_state_broken", path, {"detail": detail})) from None


def read_document(path: str) -> list[LogRecord] | None:
    """Return the records of the document of JSON at *path*; ``None`` where it is none after all.

    Raises
    ------
    InputError
        ``log_document_too_large``, ``log_document_cut``.
    OSError
        If it cannot be read.
    """
    content = _content(path, "log_document_too_large")
    try:
        return list(document.records_of_document(document.parse_document(content), path))
    except (ValueError, RecursionError):
        if content.rstrip()[-1:] not in b"]}":
            raise InputError(Problem("log_document_cut", path)) from None
        return None


def _content(path: str, too_large: str) -> bytes:
    size = os.path.getsize(path)  # noqa: PTH202 - a path as the user gave it
    content = b"".join(blocks_of(path, _LARGEST + 1)) if size <= _LARGEST else b""
    size = max(size, len(content))
    if size > _LARGEST:
        raise InputError(Problem(too_large, path, {"size": size >> 20, "most": _LARGEST >> 20}))
    return content
