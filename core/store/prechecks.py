"""Where the answers of pre-checks are kept, with what people entered and who signed.

One JSON file a pair in the platform's data directory, beside the notes on the pair, or a file of the user's
choice. Sentences are kept as codes and parameters, so that a table is read in any language.

The digest of a table is SHA-256 over the canonical JSON (keys sorted, no white space, ASCII) of the whole
report, of what was given for both sides, and of the signer's name and date. It tells an accidental change. It
proves nobody's identity: whoever changes a table can make a new digest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from enum import StrEnum
from itertools import count
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec

import core
from core.errors import InputError, Problem
from core.formats.evidence.own_precheck import KIND
from core.records.precheck import Entry, PrecheckReport, PrecheckTable, Signature
from core.store.notes import place_of_pair, put_aside, write_whole
from core.store.places import finished_file

_VERSION = 1
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
    """Return what is kept of the pair's pre-check, an empty table where nothing is.

    The pair is the same in either order: sides that were exchanged are exchanged here too.

    Raises
    ------
    InputError
        If something is kept and cannot be read, see :func:`read_table_file`.
    """
    place, exchanged = _place(target, golden)
    if not place.exists():
        return PrecheckTable()
    table = read_table_file(place)
    return _exchanged(table) if exchanged else table


def save_table(target: str, golden: str, table: PrecheckTable) -> str:
    """Keep evidence and entries of *table* for the pair; the answer is found anew each time.

    Returns
    -------
    str
        Where the file that was there before is kept, if it could not be read; else empty.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    place, exchanged = _place(target, golden)
    aside = ""
    if place.exists():
        try:
            read_table_file(place)
        except InputError:
            aside = str(put_aside(place))
    write_whole(place, _said(_exchanged(table) if exchanged else _decided(table)))
    return aside


def keep_former(target: str, golden: str) -> str:
    """Give what is kept for the pair a name of its own, under which it can be opened as a table.

    Returns
    -------
    str
        The path; empty where nothing is kept.

    Raises
    ------
    OSError
        If the file cannot be renamed.
    """
    place, _ = _place(target, golden)
    if not place.exists():
        return ""
    names = (place.with_suffix(f".before{number or ''}.json") for number in count())
    former = next(name for name in names if not name.exists())
    place.replace(former)
    return str(former)


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
    if not isinstance(said, dict) or said.get("kind") != KIND:
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


def sign(table: PrecheckTable, name: str) -> Signature:
    """Return that *name* stands for *table*, which has a report, from now on."""
    date = datetime.now().astimezone().isoformat(timespec="seconds")
    return Signature(name, date, digest_of(table, name, date))


def digest_of(table: PrecheckTable, name: str, date: str) -> str:
    """Return the digest of *table* as *name* signs it at *date*, see the head of this module."""
    said = _plain(msgspec.to_builtins(table))
    signed = {part: said[part] for part in ("target", "golden", "report")} | {"name": name, "date": date}
    return hashlib.sha256(json.dumps(signed, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def verify(table: PrecheckTable) -> Verification:
    """Return whether *table* still is what was signed: its report, evidence and entries, by whom and when."""
    if table.signature is None or table.report is None:
        return Verification.UNSIGNED
    entered = {check.id: check.entry for check in table.report.checks if check.entry != Entry()}
    kept = {check: entry for check, entry in table.entries.items() if entry != Entry()}
    return Verification.UNCHANGED if entered == kept and _is_signed(table) else Verification.CHANGED


def with_report(table: PrecheckTable, report: PrecheckReport) -> PrecheckTable:
    """Return *table* with a new answer; a signature stays only where it says the same."""
    made = replace(table, report=report)
    return made if _is_signed(made) else replace(made, signature=None)


def _is_signed(table: PrecheckTable) -> bool:
    signature = table.signature
    return signature is not None and digest_of(table, signature.name, signature.date) == signature.digest


def _said(table: PrecheckTable) -> dict[str, Any]:
    plain = _plain(msgspec.to_builtins(table))
    return {"kind": KIND, "version": _VERSION, "ulpscope": core.__version__, "table": plain}


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


def _place(target: str, golden: str) -> tuple[Path, bool]:
    """Return the file of the pair, and whether the sides stand in it in the other order."""
    exchanged = not target or bool(golden and Path(golden).absolute() < Path(target).absolute())
    return place_of_pair("prechecks", *((golden, target) if exchanged else (target, golden))), exchanged


def _exchanged(table: PrecheckTable) -> PrecheckTable:
    return PrecheckTable(table.golden, table.target, table.entries)


def _decided(table: PrecheckTable) -> PrecheckTable:
    return PrecheckTable(table.target, table.golden, table.entries)
