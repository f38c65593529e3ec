"""Packages in JSON, as pip and conda list them, and the variables that docker tells of a container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.formats.evidence.environment import variables_of
from core.formats.evidence.evidence_file import EvidenceFile
from core.records.evidence import Evidence, EvidenceKind, Version


def packages_of(value: Any, file: EvidenceFile) -> Evidence | None:
    """Return the packages, or the variables of a container, that *value* lists; ``None`` without them."""
    entries = value.get("installed") if isinstance(value, Mapping) else value
    if (
        not isinstance(entries, list)
        or not entries
        or not all(isinstance(entry, Mapping) for entry in entries)
    ):
        return None
    versions = tuple(_versions(entries, file))
    if len(versions) == len(entries):
        return Evidence(file.path, (EvidenceKind.PACKAGES,), versions=versions)
    return _container(entries, file)


def _versions(entries: list[Mapping[str, Any]], file: EvidenceFile) -> Iterator[Version]:
    for entry in entries:
        told = entry.get("metadata", entry)
        name = told.get("name") if isinstance(told, Mapping) else None
        version = told.get("version") if isinstance(told, Mapping) else None
        if isinstance(name, str) and isinstance(version, str):
            yield Version(name, version, file.place())


def _container(entries: list[Mapping[str, Any]], file: EvidenceFile) -> Evidence | None:
    """Return the variables that ``docker inspect`` tells of containers."""
    lists = [config.get("Env") for entry in entries if isinstance(config := entry.get("Config"), Mapping)]
    pairs = [str(item).partition("=") for items in lists if isinstance(items, list) for item in items]
    if not pairs:
        return None
    variables = variables_of({name: value for name, _, value in pairs}, file)
    return Evidence(file.path, (EvidenceKind.ENVIRONMENT,), environment=variables)
