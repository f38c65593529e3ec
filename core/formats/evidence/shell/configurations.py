"""Configurations that a launch script writes itself, or names and that lie beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from core.errors import Problem
from core.formats.evidence.beside import named_beside
from core.formats.evidence.documents.reading import document_of, form_of_name, read_document
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.python_config import read_python_config
from core.formats.evidence.shell.options import Option
from core.formats.evidence.shell.script import Script, Written
from core.formats.evidence.shell.values import text_of
from core.formats.evidence.unreadable import Unreadable
from core.records.evidence import Dialect, Evidence, Place, Setting

_CONFIGS = (".json", ".yaml", ".yml", ".toml", ".py", ".ini")
_NAMES_CONFIG = re.compile(
    r"(?i)(?:.*[_\-])?(?:config|configs|cfg|deepspeed|yaml|c|args)(?:[_\-](?:file|path|cfg))?"
    r"|mm[_\-](?:data|model|tool)"
)
"""Options that name a configuration."""
_MOST_CONFIGS = 10


def configurations(
    file: EvidenceFile, script: Script, options: Sequence[Option], problems: list[Problem]
) -> Iterator[Setting]:
    """Yield the settings of documents that *options* name and of those that *script* writes.

    What is wrong with a named one goes to *problems*; of the others only those count that are known to be
    configurations.
    """
    written = {_base(item.name): item for item in script.written}
    named = _named(options)
    for name, item in written.items():
        if name not in map(_base, named):
            found = [one for one in _settings(file, item, []) if one.dialect is not Dialect.PLAIN]
            yield from found
    for name in list(named)[:_MOST_CONFIGS]:
        if (own := written.get(_base(name))) is not None:
            yield from _settings(file, own, problems)
        elif (evidence := _beside(file, script, name)) is not None:
            problems += evidence.problems
            yield from evidence.settings


def _base(name: str) -> str:
    return name.rpartition("/")[2]


def _named(options: Sequence[Option]) -> dict[str, None]:
    """Return the names of configurations, in their order."""
    named: dict[str, None] = {}
    for option in options:
        if option.name and not _NAMES_CONFIG.fullmatch(option.name.rpartition(".")[2]):
            continue
        for value in option.value if isinstance(option.value, tuple) else (option.value,):
            if isinstance(value, str) and value.lower().endswith(_CONFIGS):
                named[value if option.known else _base(value)] = None
    return named


def _beside(file: EvidenceFile, script: Script, name: str) -> Evidence | None:
    if file.content is not None:
        return None
    places = (named_beside(EvidenceFile(path), name) for path in script.files)
    found = next((place for place in places if place is not None), None)
    if found is None:
        return None
    try:
        return read_python_config(found) if found.suffix == ".py" else read_document(found)
    except OSError:
        return None


def _settings(file: EvidenceFile, written: Written, problems: list[Problem]) -> Iterator[Setting]:
    """Yield the settings of a document that the script writes; each has its line in the script."""
    form = form_of_name(written.name)
    if form is None or not written.text:
        return
    places: list[Place] = []
    for segment in written.text:
        places += [segment.place] * segment.text.count("\n")
    places.append(written.text[-1].place)
    unknown = [segment.text for segment in written.text if not segment.known]
    try:
        document = document_of(
            text_of(written.text), form, file.path, lambda line: places[min(line, len(places)) - 1]
        )
    except Unreadable as wrong:
        problems.append(wrong.problem(file.path))
        return
    for item in document.settings if document else ():
        doubted = isinstance(item.value, str) and any(text in item.value for text in unknown)
        yield item._replace(known=False) if doubted else item
