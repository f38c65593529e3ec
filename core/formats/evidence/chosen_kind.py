"""A file read as what its bringer says it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.errors import Problem
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.facts import read_facts
from core.formats.evidence.file_lists import read_file_list
from core.formats.evidence.printed.scanning import scan_arguments
from core.formats.evidence.text_kinds import read_log, readings
from core.records.evidence import Evidence, EvidenceKind

_LOGS = (EvidenceKind.REPEAT_LOG, EvidenceKind.FULL_PRECISION_LOG)
_FACTS = (EvidenceKind.PACKAGES, EvidenceKind.ENVIRONMENT, EvidenceKind.DEVICES)
_SETTINGS = (EvidenceKind.SCRIPT, EvidenceKind.CONFIG, EvidenceKind.ARGUMENTS)


def as_kind(file: EvidenceFile, kind: EvidenceKind) -> Evidence:
    """Return what *file* tells of *kind* and nothing else; a problem where it tells nothing of it.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    if kind in _LOGS:
        # Of a further run only the curves count; its settings are not those of the run that is looked at.
        return Evidence(file.path, (kind,))
    if kind is EvidenceKind.LOG:
        return read_log(file) or Evidence(file.path, (kind,))
    found = next((item for item in readings(file) if kind in _meant(item)), None)
    if found is None and kind in _FACTS:
        found = read_facts(file)
    elif found is None and kind is EvidenceKind.FILES:
        found = read_file_list(file, surely=True)
    elif found is None and kind is EvidenceKind.ARGUMENTS:
        found = scan_arguments(file)
    if found is None or kind not in _meant(found):
        return Evidence(
            file.path, (), problems=(Problem("evidence_not_kind", file.path, {"kind": kind.value}),)
        )
    return _only(found, kind)


def _meant(found: Evidence) -> tuple[EvidenceKind, ...]:
    """Return the kinds that *found* may be taken for: settings are settings, however they are written."""
    settings = _SETTINGS if found.settings else ()
    listed = (EvidenceKind.FILES, EvidenceKind.CHECKSUMS) if found.files is not None else ()
    return (*found.kinds, *settings, *listed)


def _only(found: Evidence, kind: EvidenceKind) -> Evidence:
    """Return *found* without what it tells of other kinds."""
    empty: Mapping[str, tuple[()]] = {
        name: ()
        for name, of in (
            ("versions", EvidenceKind.PACKAGES),
            ("environment", EvidenceKind.ENVIRONMENT),
            ("devices", EvidenceKind.DEVICES),
            ("shards", EvidenceKind.SHARDS),
        )
        if of is not kind and not (of is EvidenceKind.ENVIRONMENT and kind is EvidenceKind.SCRIPT)
    }
    settings = found.settings if kind in _SETTINGS else ()
    return replace(found, kinds=(kind,), settings=settings, **empty)  # type: ignore[arg-type]
