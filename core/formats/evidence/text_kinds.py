"""What a text is: each reader in turn, the surest first; endings only say whom to ask before others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from core.errors import Problem
from core.formats.evidence.checksums import read_checksums
from core.formats.evidence.documents.reading import read_document
from core.formats.evidence.environment import looks_like_environment, variables_of
from core.formats.evidence.evidence_file import EvidenceFile, TooLarge
from core.formats.evidence.facts import read_facts
from core.formats.evidence.file_lists import file_list_of, read_file_list
from core.formats.evidence.json_packages import packages_of
from core.formats.evidence.json_value import MOST_JSON, value_of
from core.formats.evidence.own_precheck import own_precheck
from core.formats.evidence.printed.scanning import scan_arguments
from core.formats.evidence.python_config import read_python_config
from core.formats.evidence.random_calls import random_calls_of
from core.formats.evidence.samples import samples_of
from core.formats.evidence.shards import read_shards, shards_of
from core.formats.evidence.shell.reading import read_script
from core.formats.evidence.weights.statistics import read_statistics_table, statistics_of
from core.formats.logs.sniffing import is_training_log
from core.records.evidence import Evidence, EvidenceKind

Reader = Callable[[EvidenceFile], Evidence | None]

SCRIPTS = frozenset((".sh", ".bash", ".zsh", ".ksh", ".slurm", ".sbatch", ".job", ".csh"))
_DOCUMENTS = frozenset((".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf", ".json5", ".jsonc"))
_TABLES = frozenset((".csv", ".tsv"))


def read_text(file: EvidenceFile) -> Evidence | None:
    """Return what the text *file* holds; ``None`` where no reader knows it.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    for read in _readers(file):
        found = read(file)
        if found is not None:
            return found
    return None


def readings(file: EvidenceFile) -> Iterator[Evidence]:
    """Yield what each reader makes of *file* that makes anything of it, the surest first."""
    for read in _readers(file):
        found = read(file)
        if found is not None:
            yield found


def _readers(file: EvidenceFile) -> Iterator[Reader]:
    head = file.head
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:1] in (b"{", b"["):
        yield read_json
    yield read_checksums
    if file.suffix in SCRIPTS or _is_shell(start):
        yield read_script
    if file.suffix == ".py":
        yield read_python
        return
    if file.suffix in _TABLES:
        yield read_statistics_table
    if file.suffix in _DOCUMENTS:
        if b"dependencies:" in head or b"_running_version=" in head:  # conda's export, CANN's version.cfg
            yield read_facts
        yield read_document
    yield read_log
    yield from (read_facts, read_script, read_document, read_shards, read_file_list)


def _is_shell(start: bytes) -> bool:
    line = start.partition(b"\n")[0]
    return line.startswith(b"#!") and line.rstrip().endswith((b"sh", b"sh -e", b"sh -x", b"sh -ex", b"sh -l"))


def read_json(file: EvidenceFile) -> Evidence | None:
    """Return what the JSON *file* holds that is no setting; ``None`` without any, or if it is no JSON."""
    try:
        value = value_of(file)
    except TooLarge:
        limit = MOST_JSON >> 20
        return Evidence(file.path, (), problems=(Problem("evidence_too_large", file.path, {"limit": limit}),))
    except ValueError:
        return None
    own = own_precheck(value, file.path)
    if own is not None:
        return Evidence(file.path, (), problems=(own,))
    found = packages_of(value, file)
    if found is None and isinstance(value, dict) and looks_like_environment(value):
        variables = variables_of(value, file)
        found = Evidence(file.path, (EvidenceKind.ENVIRONMENT,), environment=variables)
    if found is None:
        found = shards_of(value, file)
    if found is None and isinstance(value, dict) and value:
        found = samples_of(value, file) or random_calls_of(value, file) or statistics_of(value, file)
    return found or file_list_of(value, file)


def read_python(file: EvidenceFile) -> Evidence | None:
    """Return a Python file: source, and a configuration if it is one."""
    found = read_python_config(file) or Evidence(file.path, ())
    return replace(found, kinds=(*found.kinds, EvidenceKind.SOURCE))


def read_log(file: EvidenceFile) -> Evidence | None:
    """Return a training log with what it prints of settings, software and devices; ``None`` for no log.

    A member of an archive is none: its curves would have to be read from a file of its own.
    """
    if file.content is not None or not is_training_log(file.path):
        return None
    found = Evidence(file.path, (EvidenceKind.LOG,))
    for more in (scan_arguments(file), read_facts(file, log=True), read_shards(file)):
        if more is not None:
            found = _with(found, more)
    return found


def _with(found: Evidence, more: Evidence) -> Evidence:
    """Return *found* with what *more* tells of the same log; what looks like variables there is not taken."""
    kinds = [kind for kind in more.kinds if kind is not EvidenceKind.ENVIRONMENT]
    return replace(
        found,
        kinds=(*found.kinds, *kinds),
        settings=(*found.settings, *more.settings),
        program=found.program or more.program,
        versions=(*found.versions, *more.versions),
        devices=(*found.devices, *more.devices),
        shards=(*found.shards, *more.shards),
        problems=(*found.problems, *more.problems),
    )
