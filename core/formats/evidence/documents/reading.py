"""Configurations in yaml, JSON, TOML and ini, as settings in their own words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from core.errors import Problem
from core.formats.evidence.beside import named_beside
from core.formats.evidence.documents.dialects import dialect_of, holds_settings
from core.formats.evidence.documents.json_lines import parse_json
from core.formats.evidence.documents.nodes import Node, Table, flat, said_twice
from core.formats.evidence.documents.sections import parse_ini, parse_toml
from core.formats.evidence.documents.yaml_text import parse_yaml
from core.formats.evidence.evidence_file import MOST_TEXT, SNIFFED, EvidenceFile, TooLarge
from core.formats.evidence.naming import MOST_SETTINGS, each_once, setting
from core.formats.evidence.unreadable import Unreadable
from core.formats.search import DUMP_FILES
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting

_FORMS = {
    ".json": "JSON", ".jsonc": "JSON", ".json5": "JSON", ".yaml": "YAML", ".yml": "YAML", ".toml": "TOML",
    ".ini": "INI", ".cfg": "INI", ".conf": "INI",
}  # fmt: skip
_PARSERS: dict[str, Callable[[str], Node | None]] = {
    "JSON": parse_json, "YAML": parse_yaml, "TOML": parse_toml, "INI": parse_ini,
}  # fmt: skip
_MOST_YAML = 4 << 20
"""Bytes; parsing it is slow, and no configuration comes near."""
_LINES = re.compile(r"\s*\{[^\n]*\}\s*\n\s*\{")
"""JSON in lines: records, not settings."""
_SECTION = re.compile(r"^\[[^\]\n]+\]\s*$", re.M)
_LEFT_OUT = frozenset(("log_history", "stateful_callbacks"))
"""Parts of ``trainer_state.json`` that are records of the training."""
_NAMING = frozenset(("deepspeed", "deepspeed_config", "deepspeed_config_file", "deepspeed_file"))
"""Settings that name a further document."""


@dataclass(frozen=True)
class Document:
    """What the text of one document says."""

    settings: tuple[Setting, ...]
    problems: tuple[Problem, ...]
    dialect: Dialect


def read_document(file: EvidenceFile) -> Evidence | None:
    """Return the settings of *file*, ``None`` if it is no configuration.

    Sections are joined by dots, lists of plain values are one setting. A file that a configuration of
    transformers names for DeepSpeed is read with it where it lies beside it. What cannot be read is a
    problem of the result.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    form = _form_of(file)
    if form is None:
        return None
    sure = file.suffix in _FORMS
    try:
        text = _text_of(file, form)
        if form == "JSON" and _LINES.match(text[:100_000]):
            return None
        document = document_of(text, form, file.path, file.place)
    except Unreadable as wrong:
        return Evidence(file.path, (), problems=(wrong.problem(file.path),)) if sure else None
    if document is None or (document.dialect is Dialect.PLAIN and not sure and form != "JSON"):
        return None
    before: list[Setting] = []
    problems = list(document.problems)
    for named in _named_documents(file, document.settings):
        more = read_document(EvidenceFile(named.path, content=named.head)) if _is_small(named) else None
        if more is not None:
            before += more.settings
            problems += more.problems
    settings = each_once((*before, *document.settings))
    return Evidence(file.path, (EvidenceKind.CONFIG,), settings=settings, problems=tuple(problems))


def document_of(text: str, form: str, path: str, place: Callable[[int], Place]) -> Document | None:
    """Return what *text* says, ``None`` if it holds no settings.

    Parameters
    ----------
    text
        The whole document.
    form
        ``JSON``, ``YAML``, ``TOML`` or ``INI``.
    path
        File that its problems are named after.
    place
        Where a line of *text*, counted from 1, stands.

    Raises
    ------
    Unreadable
        If it is broken, nested too deeply or unfolds to too much.
    """
    root = _PARSERS[form](text)
    if not isinstance(root, Table) or not holds_settings(root):
        return None
    dialect = dialect_of(root.members)
    if dialect is Dialect.PLAIN:
        dialect = dialect_of(_inner_names(root))
    for name in _LEFT_OUT & root.members.keys():
        del root.members[name]
    settings: list[Setting] = []
    problems = [
        Problem("settings_twice", path, {"name": name[:200], "line": line})
        for name, line in list(said_twice(root))[:20]
    ]
    for name, value, line, whole in flat(root):
        if len(settings) >= MOST_SETTINGS:
            problems.append(Problem("settings_many", path, {"limit": MOST_SETTINGS}))
            break
        settings.append(setting(name, value, place(line), dialect, whole))
    return Document(tuple(settings), tuple(problems), dialect)


def form_of_name(name: str) -> str | None:
    """Return the form that the ending of a file's *name* tells, ``None`` if it tells none."""
    return next((form for suffix, form in _FORMS.items() if name.lower().endswith(suffix)), None)


def _inner_names(root: Table) -> list[str]:
    """Return the names one level below, which tell the dialect of documents in sections."""
    return [name for node in root.members.values() if isinstance(node, Table) for name in node.members]


def _form_of(file: EvidenceFile) -> str | None:
    if file.name in DUMP_FILES or file.suffix == ".jsonl":
        return None
    head = file.head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    form = _FORMS.get(file.suffix)
    if form == "JSON" and head[:1] not in ("{", "/", "#"):
        return None
    if form == "INI" and not _SECTION.search(head):
        form = None
    if form is not None or file.suffix not in ("", ".txt", ".config", ".args"):
        return form
    if head[:1] == "{":
        return "JSON"
    lines = [line for line in head.split("\n")[:-1] or [head] if line.strip() and line.lstrip()[:1] != "#"]
    named = [line for line in lines if re.match(r"\s*(?:- )?[\w.\-]{1,100}:(?:\s|$)", line)]
    return "YAML" if lines and len(named) * 10 >= len(lines) * 9 else None


def _text_of(file: EvidenceFile, form: str) -> str:
    limit = MOST_TEXT if form == "JSON" else _MOST_YAML
    try:
        text = file.text()
    except TooLarge:
        raise Unreadable("settings_too_large", limit=limit >> 20) from None
    if len(text) > limit:
        raise Unreadable("settings_too_large", limit=limit >> 20)
    return text


def _named_documents(file: EvidenceFile, settings: tuple[Setting, ...]) -> list[EvidenceFile]:
    named = (
        item.value
        for item in settings
        if isinstance(item.value, str)
        and item.name.rpartition(".")[2] in _NAMING
        and form_of_name(item.value)
    )
    found = (named_beside(file, name) for name in dict.fromkeys(named))
    return [item for item in found if item is not None][:5]


def _is_small(file: EvidenceFile) -> bool:
    """Tell whether the whole file was read by its head, as any such document is."""
    return len(file.head) < SNIFFED
