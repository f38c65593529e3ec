"""Which files each node or rank reads: JSON, or lists as they are printed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.file_lists import names_in
from core.formats.evidence.file_names import spelled
from core.records.evidence import Evidence, EvidenceKind, Shard

_NODE = r"(?:node|rank|host|worker|gpu|npu|device|process|shard|dp|server|machine|pod)s?"
_NODE_KEY = re.compile(
    rf"(?:global[_\s\-]*)?{_NODE}[_\s\-.]*\d{{1,6}}|\d{{1,6}}|\d+\.\d+\.\d+\.\d+(?::\d+)?", re.I
)
_PRINTED = re.compile(
    rf"(?:^|[\s\[(])(?P<node>{_NODE}[_\s\-=.]*\d{{1,6}})\]?[^\[(\n]{{0,200}}?[\s:=](?P<names>\[\s*['\"].*\])",
    re.I,
)
_LINE = re.compile(
    rf"(?P<node>{_NODE}[_\s\-]*\d{{1,6}}|\d+\.\d+\.\d+\.\d+|\d{{1,6}})\s*[:=]\s*(?P<names>\S.*)", re.I
)
_GIVEN_UP = 200
_MOST_OTHERS = 0.2


def read_shards(file: EvidenceFile) -> Evidence | None:
    """Return what each node reads, as the text *file* lists it; ``None`` where it does not.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    printed: dict[str, list[str]] = {}
    plain: dict[str, list[str]] = {}
    others = 0
    for number, line in file.lines():
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        told = printed
        found = _PRINTED.search(text)
        if found is None:
            told, found = plain, _LINE.fullmatch(text)
        if found is None:
            others += 1
        else:
            told.setdefault(_spelled_node(found["node"]), []).extend(names_in(found["names"]))
        if number >= _GIVEN_UP and not (printed or plain):
            return None
    # Among lines of a log, printed lists count; bare words behind `rank 0:` do not.
    numbered = all(node.isdigit() for node in plain)
    surely = others <= _MOST_OTHERS * len(plain) and (not numbered or "0" in plain)
    files = printed or (plain if surely else {})
    return _evidence(file, {node: tuple(names) for node, names in files.items()}) if files else None


def shards_of(value: Any, file: EvidenceFile) -> Evidence | None:
    """Return the shards that the JSON *value* tells, files by node; ``None`` where it tells none."""
    if isinstance(value, Mapping) and len(value) == 1 and "shards" in value:
        return shards_of(value["shards"], file)
    if not isinstance(value, Mapping) or not value:
        return None
    if not all(isinstance(node, str) and _NODE_KEY.fullmatch(node) for node in value):
        return None
    if not all(
        isinstance(names, list) and all(isinstance(name, str) for name in names) for names in value.values()
    ):
        return None
    return _evidence(file, {node: tuple(map(spelled, names)) for node, names in value.items()})


def _spelled_node(node: str) -> str:
    return re.sub(r"[\s=]+", "", node)


def _evidence(file: EvidenceFile, files: Mapping[str, tuple[str, ...]]) -> Evidence:
    shards = tuple(Shard(node, names) for node, names in files.items())
    return Evidence(file.path, (EvidenceKind.SHARDS,), shards=shards)
