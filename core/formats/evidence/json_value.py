"""The value that a JSON file holds, whole."""

from __future__ import annotations

import codecs
from typing import Any

from core.formats.evidence.evidence_file import EvidenceFile, TooLarge
from core.formats.json_text import loads

MOST_JSON = 64 << 20
"""Bytes of a JSON file that is parsed as a whole: statistics of 500 000 weights."""


def value_of(file: EvidenceFile) -> Any:
    """Return what the JSON *file* holds.

    Raises
    ------
    OSError
        If it cannot be read.
    TooLarge
        If it has more than :data:`MOST_JSON` bytes.
    ValueError
        If it is no JSON.
    """
    with file.opened() as stream:
        raw = stream.read(MOST_JSON + 1)
    if len(raw) > MOST_JSON:
        raise TooLarge
    if raw[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return loads(raw.decode("utf-16", "replace"))
    return loads(raw.removeprefix(codecs.BOM_UTF8))
