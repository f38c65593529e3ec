"""Where the answers of pre-checks are kept, with what people entered and who signed.

One JSON file a pair in the platform's data directory, beside the notes on the pair, or a file of the user's
choice. Sentences are kept as codes and parameters, so that a table is read in any language.

The digest of a table is SHA-256 over the canonical JSON (keys sorted, no white space, ASCII) of ``checks``,
``target_evidence`` and ``golden_evidence``. It tells an accidental change. It proves nobody's identity:
whoever changes a table can make a new digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

import core
from core.errors import InputError, Problem
from core.records.precheck import Entry, PrecheckReport, PrecheckTable, Signature
from core.store.notes import place_of_pair, put_aside, write_whole
from core.store.places import finished_file

_KIND, _VERSION = "precheck", 1
_MOST_BYTES = 256 << 20
"""Bytes of a table that is read: some hundred times the largest that is written."""
_NUMBER = "$number"
"""The one key of what stands for a number that JSON lacks: NaN or an infinity in a sentence."""


class Verification(StrEnum):
    """Whether a table is as it was signed."""

    UNSIGNED = "unsigned"
    UNCHANGED = "unchanged"
    CHANGED = "changed"


def load_table(target: str, golden: str) -> PrecheckTable:
    """Return what is kept of the pair's pre-check; an empty table where nothing readable is."""
    try:
        return read_table_file(_place(target, golden))
    except InputError:
        return PrecheckTable()


def save_table(target: str, golden: str, table: PrecheckTable) -> str:
    """Keep *table* for the pair.

    Returns
    -------
    str
        Where the file that was there before is kept, if it could not be read; else empty.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    place = _place(target, golden)
    aside = ""
    if place.exists():
        try:
            read_table_file(place)
        except InputError:
            aside = str(put_aside(place))
    write_whole(place, _said(table))
    return aside


def read_table_file(path: str | Path) -> PrecheckTable:
    """Return the table that :func:`write_table_file` wrote to *path*.

    Raises
    ------
    InputError
        ``precheck_table_unreadable``, ``precheck_table_other`` (it is something else, or damaged) or
        ``precheck_table_version`` (a later ulpscope wrote it).
    """
    place, name = Path(path), str(path)
    try:
        if not place.is_file():  # a pipe would never end
            raise FileNotFoundError(None, "no such file")
        if place.stat().st_size > _MOST_BYTES:
            raise InputError(Problem("precheck_table_other", name))
        said = json.loads(place.read_text("utf-8-sig"))
    except OSError as error:
        detail = error.strerror or type(error).__name__
        raise InputError(Problem("precheck_table_unreadable", name, {"detail": detail})) from None
    except (ValueError, RecursionError):
        raise InputError(Problem("precheck_table_other", name)) from None
    if not isinstance(said, dict) or said.get("kind") != _KIND:
        raise InputError(Problem("precheck_table_other", name))
    if said.get("version") != _VERSION:
        raise InputError(Problem("precheck_table_version", name, {"version": str(said.get("version"))}))
    try:
        return msgspec.convert(_numbers(said.get("table")), PrecheckTable)
    except (msgspec.ValidationError, ValueError, OverflowError, RecursionError):
        raise InputError(Problem("precheck_table_other", name)) from None


def write_table_file(path: str | Path, table: PrecheckTable) -> None:
    """Write *table* to *path*.

    Raises
    ------
    OSError
        If it cannot be written; nothing half-written stays.
    """
    with finished_file(Path(path)) as unfinished, unfinished.open("w", encoding="ascii") as stream:
        json.dump(_said(table), stream, allow_nan=False, indent=1)


def sign(report: PrecheckReport, name: str) -> Signature:
    """Return that *name* stands for *report* from now on."""
    return Signature(name, datetime.now().astimezone().isoformat(timespec="seconds"), digest_of(report))


def digest_of(report: PrecheckReport) -> str:
    """Return the digest of the rows and the evidence of *report*, see the head of this module."""
    said = _plain(msgspec.to_builtins(report))
    signed = {part: said[part] for part in ("checks", "target_evidence", "golden_evidence")}
    return hashlib.sha256(json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def verify(table: PrecheckTable) -> Verification:
    """Return whether *table* still is what was signed: its rows, evidence and entries."""
    if table.signature is None or table.report is None:
        return Verification.UNSIGNED
    entered = {check.id: check.entry for check in table.report.checks if check.entry != Entry()}
    kept = {check: entry for check, entry in table.entries.items() if entry != Entry()}
    same = entered == kept and digest_of(table.report) == table.signature.digest
    return Verification.UNCHANGED if same else Verification.CHANGED


def with_report(table: PrecheckTable, report: PrecheckReport) -> PrecheckTable:
    """Return *table* with a new answer; a signature stays only where it says the same."""
    kept = table.signature
    if kept is not None and kept.digest != digest_of(report):
        kept = None
    return replace(table, report=report, signature=kept)


def _said(table: PrecheckTable) -> dict[str, Any]:
    plain = _plain(msgspec.to_builtins(table))
    return {"kind": _KIND, "version": _VERSION, "ulpscope": core.__version__, "table": plain}


def _plain(value: Any) -> Any:
    """Return *value* with something else for the numbers that JSON lacks."""
    if isinstance(value, float):
        return value if isfinite(value) else {_NUMBER: str(value)}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _numbers(value: Any) -> Any:
    """Return what :func:`_plain` was given."""
    if isinstance(value, dict):
        if list(value) == [_NUMBER] and isinstance(value[_NUMBER], str):
            return float(value[_NUMBER])
        return {name: _numbers(item) for name, item in value.items()}
    return [_numbers(item) for item in value] if isinstance(value, list) else value


def _place(target: str, golden: str) -> Path:
    return place_of_pair("prechecks", target, golden)
