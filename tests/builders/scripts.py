"""Launch scripts read from a text, and what was read sorted for comparison."""

from __future__ import annotations

from textwrap import dedent

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.shell.reading import read_script
from core.records.evidence import Dialect, Evidence, Value


def read(text: str, name: str = "train.sh") -> Evidence:
    found = read_script(EvidenceFile("/jobs/" + name, content=dedent(text).lstrip("\n").encode()))
    assert found is not None
    return found


def said(found: Evidence, dialect: Dialect) -> dict[str, Value]:
    return {item.name: item.value for item in found.settings if item.dialect is dialect and item.known}


def doubted(found: Evidence) -> dict[str, Value]:
    return {item.name: item.value for item in found.settings if not item.known}


def exported(found: Evidence) -> dict[str, str]:
    return {item.name: item.value for item in found.environment}
