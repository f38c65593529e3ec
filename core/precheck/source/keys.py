"""What of a line counts: without white space, comments, words of a device and mapped folders."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from core.precheck.source.comments import CodeLine, code_of
from core.precheck.source.languages import Language, language_of
from core.precheck.source.records import SourceText
from core.precheck.source.table import source_table

_STRING = re.compile(r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")")
_NEEDLESS = re.compile(r"(?<![\w.]) | (?![\w.])")
"""White space beside a sign that ends a word anyway."""
_BLANKS = re.compile(r"\s+")
_FREE = (Language.PYTHON, Language.C)
"""Languages in which white space only parts words; in a shell it makes ``-a -1`` of ``-a-1``."""
_TABULATOR = 8


class Keys(NamedTuple):
    """Of each line what it is like with less and less of it; lists have one entry a line."""

    blanks: list[str]
    """Without needless white space."""
    code: list[str]
    """Without comments, too."""
    device: list[str]
    """With the words of the NPU for those of the GPU, too."""
    whole: list[str]
    """With folders mapped, too: what lines are paired by."""
    free: bool
    """White space only parts words, and a slash outside of quotes divides."""


def keys_of(source: SourceText, mapping: Sequence[tuple[str, str]] = ()) -> Keys:
    """Return the keys of all lines of *source*; *mapping* are folders and what stands for them."""
    language = language_of(source.path, source.lines[0] if source.lines else "")
    free = language in _FREE
    lines = code_of(source.lines, language)
    depths = _depths(lines) if language in (Language.PYTHON, Language.YAML) else [""] * len(lines)
    blanks = [
        line if code.exact else depth + squeezed(line, free)
        for line, code, depth in zip(source.lines, lines, depths)
    ]
    code = [
        line.code if line.exact else depth + words if (words := squeezed(line.code, free)) else ""
        for line, depth in zip(lines, depths)
    ]
    device = [_as_npu(line) for line in code]
    whole = [_as_npu(_mapped(line, mapping)) for line in code] if mapping else device
    return Keys(blanks, code, device, whole, free)


def squeezed(line: str, free: bool) -> str:
    """Return *line* without needless white space; *free*: also without what parts no words.

    Texts in quotes stay as they are where white space is free.
    """
    line = line.strip()
    if not line:
        return ""
    if not free:
        return _BLANKS.sub(" ", line)
    parts = _STRING.split(line)
    parts[::2] = [_NEEDLESS.sub("", _BLANKS.sub(" ", part)) for part in parts[::2]]
    return "".join(parts)


def _depths(lines: Sequence[CodeLine]) -> list[str]:
    """Return a mark of how deep each line stands, the same whether two blanks or four make a step."""
    steps: list[int] = [0]
    marks = []
    for line in lines:
        words = line.code.strip()
        if not words or line.exact:
            marks.append("")
            continue
        wide = line.code.expandtabs(_TABULATOR)
        indent = len(wide) - len(wide.lstrip())
        while len(steps) > 1 and indent < steps[-1]:
            steps.pop()
        if indent > steps[-1]:
            steps.append(indent)
        marks.append(f"{len(steps) - 1}:")
    return marks


def _as_npu(line: str) -> str:
    table = source_table()
    if not table.device_any.search(line):
        return line
    if table.device_lines.fullmatch(line.partition(":")[2] if line[:1].isdigit() else line):
        return ""
    for pattern, becomes in table.device_words:
        line = pattern.sub(becomes, line)
    return line


def _mapped(line: str, mapping: Sequence[tuple[str, str]]) -> str:
    for old, new in mapping:
        if old:
            line = line.replace(old.rstrip("/\\"), new.rstrip("/\\"))
    return line
