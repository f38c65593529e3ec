"""Lines of code without what only people read: comments, and texts that stand by themselves."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from core.precheck.source.languages import Language

_STRING = r"'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\""
_MARKED = re.compile(r"^\s*[#;].*$|(?<=\s)#.*$")
_C = re.compile(rf"{_STRING}|//.*$|/\*.*?(?:\*/|$)")
_YAML = re.compile(rf"{_STRING}|(?:^|(?<=\s))#.*$")
_YAML_BLOCK = re.compile(r"(?:^|[:\-\s])[|>][+\-\d]*\s*(?:#.*)?$")
_HERE = re.compile(r"<<(-?)\s*([\"']?)(\w+)\2")
_SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT)


class CodeLine(NamedTuple):
    """One line without comments."""

    code: str
    exact: bool = False
    """It lies inside a text over several lines, where white space says something."""


def code_of(lines: Sequence[str], language: Language) -> list[CodeLine]:
    """Return each of *lines* without its comments; broken code keeps what cannot be understood."""
    if language is Language.PYTHON:
        return _python(lines)
    if language is Language.SHELL:
        return _shell(lines)
    if language is Language.YAML:
        return _yaml(lines)
    if language is Language.C:
        return _c(lines)
    if language is Language.MARKED:
        return [CodeLine(_MARKED.sub("", line)) for line in lines]
    return [CodeLine(line) for line in lines]


# ---- Python


def _python(lines: Sequence[str]) -> list[CodeLine]:
    code, exact = list(lines), [False] * len(lines)
    # last things first, so that places in a line hold while parts of it go
    for token in reversed(list(_left_out(lines, exact))):
        (first, start), (last, end) = token.start, token.end
        for row in range(first, last + 1):
            line = code[row - 1]
            code[row - 1] = (line[:start] if row == first else "") + (line[end:] if row == last else "")
            exact[row - 1] = False
    return [CodeLine(line, kept) for line, kept in zip(code, exact)]


def _left_out(lines: Sequence[str], exact: list[bool]) -> Iterable[tokenize.TokenInfo]:
    """Yield comments and texts that are statements of their own; note in *exact* the lines inside texts."""
    stands_alone: tokenize.TokenInfo | None = None
    begins = True
    started = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO("\n".join(lines) + "\n").readline):
            name = tokenize.tok_name[token.type]
            if name == "FSTRING_START":
                started = token.start[0]
            if token.type == tokenize.STRING or name == "FSTRING_END":
                first = started if name == "FSTRING_END" else token.start[0]
                exact[first : token.end[0]] = [True] * (token.end[0] - first)
            if token.type == tokenize.COMMENT:
                yield token
            if token.type == tokenize.STRING and begins:
                stands_alone = token
            elif token.type in (tokenize.NEWLINE, tokenize.ENDMARKER) and stands_alone is not None:
                yield stands_alone
                stands_alone = None
            elif token.type not in _SKIPPED:
                stands_alone = None
            if token.type not in _SKIPPED:
                begins = token.type == tokenize.NEWLINE
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


# ---- shell


def _shell(lines: Sequence[str]) -> list[CodeLine]:
    found = []
    quote, here = "", ""
    for line in lines:
        if here:
            found.append(CodeLine(line, True))
            here = "" if line.strip() == here else here
            continue
        inside = quote
        code, quote = _shell_line(line, quote)
        opened = _HERE.search(code)
        here = opened[3] if opened is not None and not quote else ""
        # options of a program often stand in a text over several lines, where blanks only part them
        found.append(CodeLine(code, inside == "'"))
    return found


def _shell_line(line: str, quote: str) -> tuple[str, str]:
    """Return *line* without its comment, and the quote that is open at its end."""
    at = 0
    while at < len(line):
        sign = line[at]
        if sign == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign == "#" and (not at or line[at - 1] in " \t;"):
            return line[:at], quote
        at += 1
    return line, quote


# ---- others


def _yaml(lines: Sequence[str]) -> list[CodeLine]:
    found = []
    block = -1
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if block >= 0 and (indent > block or not line.strip()):
            found.append(CodeLine(line, True))
            continue
        code = _YAML.sub(_unless_text, line)
        block = indent if _YAML_BLOCK.search(code) else -1
        found.append(CodeLine(code))
    return found


def _c(lines: Sequence[str]) -> list[CodeLine]:
    found = []
    inside = False
    for line in lines:
        if inside:
            end = line.find("*/")
            inside = end < 0
            line = line[end + 2 :] if end >= 0 else ""
        for part in _C.finditer(line):
            inside = part[0].startswith("/*") and not (part[0].endswith("*/") and len(part[0]) > 3)
        found.append(CodeLine(_C.sub(_unless_text, line)))
    return found


def _unless_text(found: re.Match[str]) -> str:
    return found[0] if found[0][:1] in "'\"" else ""
