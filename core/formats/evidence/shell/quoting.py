"""Words of a script: quotes, escapes and expansions; nothing is expanded, and nothing is run."""

from __future__ import annotations

import re

from core.formats.evidence.shell.brackets import closing
from core.formats.evidence.shell.words import Arithmetic, Literal, Opaque, Parameter, Part, Word
from core.formats.evidence.unreadable import Unreadable

BLANKS = " \t\r\f\v"
_DEEPEST = 25
"""Expansions inside expansions."""
_PLAIN = re.compile(r"[^\s\\'\"$`;&|<>()\n]++", re.A)
_IN_QUOTES = re.compile(r"[^\\\"$`\n]++")
_IN_BRACES = re.compile(r"[^\\'\"$`}\n]++")
_NAME = re.compile(r"[A-Za-z_]\w*|\d+|[@*#?$!\-]", re.A)
_SIMPLE = re.compile(r"[A-Za-z_]\w*|\d|[@*#?$!\-]", re.A)
_AFTER_NAME = re.compile(r":[-=+?]|[-=+?]|%%|%|##|#|//|/[#%]?|\^\^|\^|,,|,|:|@[a-zA-Z]")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "v": "\v"}


class WordReader:
    """Reads from *at* on; what is left open at the end is closed there, and noted."""

    def __init__(self, text: str, line: int = 1) -> None:
        self.text, self.at, self.line = text, 0, line
        self.open_since = 0
        """Line of a quote or bracket that is never closed; 0 if there is none."""

    def word(self, depth: int) -> Word:
        """Return the word that begins here; empty where none does.

        Raises
        ------
        Unreadable
            If expansions are nested too deeply.
        """
        parts: list[Part] = []
        while self.at < len(self.text):
            if found := _PLAIN.match(self.text, self.at):
                parts.append(Literal(found[0], self.line, False))
                self.at = found.end()
                continue
            char = self.text[self.at]
            if char in BLANKS or char in "\n;&|<>()":
                break
            self._piece(char, parts, depth, quoted=False)
        return tuple(parts)

    def _piece(self, char: str, parts: list[Part], depth: int, *, quoted: bool) -> None:
        """Read a quote, an escape or an expansion."""
        if char == "\\":
            after = self.text[self.at + 1 : self.at + 2]
            self.at += 2
            if after == "\n":
                self.line += 1
            elif after:
                parts.append(Literal(after, self.line, True))
        elif char == "'":
            self._single(parts)
        elif char == '"':
            self.at += 1
            self._double(parts, depth)
        elif char in "$`":
            self._dollar(parts, depth, quoted)

    def _single(self, parts: list[Part]) -> None:
        end = self.text.find("'", self.at + 1)
        if end < 0:
            self.left_open(self.line)
            end = len(self.text)
        text = self.text[self.at + 1 : end]
        self.at = end + 1
        self._lines_of(text, parts)

    def _lines_of(self, text: str, parts: list[Part]) -> None:
        for piece in text.split("\n"):
            parts.append(Literal(piece, self.line, True))
            parts.append(Literal("\n", self.line, True))
            self.line += 1
        parts.pop()
        self.line -= 1

    def _double(self, parts: list[Part], depth: int) -> None:
        before, line = len(parts), self.line
        self.until('"', parts, depth, _IN_QUOTES, quoted=True)
        if len(parts) == before:  # quotes around nothing are a word
            parts.append(Literal("", line, True))

    def until(
        self,
        end: str,
        parts: list[Part],
        depth: int,
        plain: re.Pattern[str],
        *,
        quoted: bool,
        letters: bool = False,
    ) -> None:
        """Read up to *end*, which is left behind.

        Inside of double quotes if *quoted*; *letters*: single quotes quote nothing, as in braces that stand
        in double quotes.
        """
        if depth > _DEEPEST:
            raise Unreadable("settings_deep", line=self.line)
        since = self.line
        while self.at < len(self.text):
            if found := plain.match(self.text, self.at):
                parts.append(Literal(found[0], self.line, quoted))
                self.at = found.end()
                continue
            char = self.text[self.at]
            if char == end:
                self.at += 1
                return
            if char == "\n":
                parts.append(Literal("\n", self.line, quoted))
                self.at += 1
                self.line += 1
            elif char == "\\" and quoted:
                self._quoted_escape(parts, end)
            elif char in "\\$`" or not (quoted or (letters and char == "'")):
                self._piece(char, parts, depth, quoted=quoted)
            else:  # a single quote, or a double one in a here-document
                parts.append(Literal(char, self.line, True))
                self.at += 1
        if end:
            self.left_open(since)

    def _quoted_escape(self, parts: list[Part], end: str) -> None:
        after = self.text[self.at + 1 : self.at + 2]
        self.at += 2
        if after == "\n":
            self.line += 1
        else:
            special = after in ("$", "`", "\\") or (bool(after) and after == end)
            parts.append(Literal(after if special else "\\" + after, self.line, True))

    def _dollar(self, parts: list[Part], depth: int, quoted: bool) -> None:
        text, at, line = self.text, self.at, self.line
        if text[at] == "`":
            parts.append(self._backticks(quoted))
        elif text.startswith("$((", at):
            parts.append(self._arithmetic(depth, quoted))
        elif text.startswith("$(", at):
            parts.append(self.substitution(at + 2, quoted))
        elif text.startswith("${", at):
            parts.append(self._braces(depth, quoted))
        elif text.startswith("$'", at) and not quoted:
            self._ansi(parts)
        elif text.startswith('$"', at) and not quoted:
            self.at += 2
            self._double(parts, depth)
        elif found := _SIMPLE.match(text, at + 1):
            self.at = found.end()
            parts.append(Parameter(found[0], "", "", (), text[at : found.end()], line, quoted))
        else:
            self.at += 1
            parts.append(Literal("$", line, quoted))

    def _braces(self, depth: int, quoted: bool) -> Part:
        begin, line = self.at, self.line
        text = self.text
        at = begin + 2
        length = text.startswith("#", at) and not text.startswith("#}", at)
        found = _NAME.match(text, at + length)
        if not found:
            return self._opaque_braces(begin, quoted)
        at, index = found.end(), ""
        if text.startswith("[", at):
            close = text.find("]", at, at + 200)
            if close < 0:
                return self._opaque_braces(begin, quoted)
            index, at = text[at + 1 : close], close + 1
        operator = "length" if length else ""
        operand: list[Part] = []
        if not text.startswith("}", at):
            after = _AFTER_NAME.match(text, at)
            if not after or length:
                return self._opaque_braces(begin, quoted)
            operator, self.at = after[0], after.end()
            self.until("}", operand, depth + 1, _IN_BRACES, quoted=False, letters=quoted)
        else:
            self.at = at + 1
        return Parameter(found[0], index, operator, tuple(operand), text[begin : self.at], line, quoted)

    def _opaque_braces(self, begin: int, quoted: bool) -> Part:
        line = self.line
        end = self.text.find("}", begin)
        if end < 0:
            self.left_open(line)
            end = len(self.text)
        source = self.text[begin : end + 1]
        self.line += source.count("\n")
        self.at = end + 1
        return Opaque(source, line, quoted)

    def _arithmetic(self, depth: int, quoted: bool) -> Part:
        begin, line = self.at, self.line
        end = closing(self.text, begin + 3, 2)
        if end < 0:
            self.left_open(line)
            end = len(self.text)
        if self.text[end - 1 : end + 1] != "))":  # $( (...) ... ): a substitution after all
            return self.substitution(begin + 2, quoted)
        if depth > _DEEPEST:
            raise Unreadable("settings_deep", line=line)
        inner = WordReader(self.text[begin + 3 : end - 1], line)
        parts: list[Part] = []
        inner.until("", parts, depth + 1, _IN_QUOTES, quoted=True)
        self.at = end + 1
        source = self.text[begin : self.at]
        self.line += source.count("\n")
        return Arithmetic(tuple(parts), source, line, quoted)

    def arithmetic_command(self) -> Literal:
        """Read ``((...))`` as one word."""
        begin, line = self.at, self.line
        end = closing(self.text, self.at + 2, 2)
        if end < 0:
            self.left_open(self.line)
            end = len(self.text)
        self.line += self.text.count("\n", self.at, end)
        self.at = end + 1
        return Literal(self.text[begin : self.at], line, True)

    def substitution(self, inside: int, quoted: bool) -> Opaque:
        """Read a command substitution whose command begins at *inside*."""
        line, begin = self.line, self.at
        end = closing(self.text, inside, 1)
        if end < 0:
            self.left_open(line)
            end = len(self.text)
        self.at = end + 1
        source = self.text[begin : self.at]
        self.line += source.count("\n")
        return Opaque(source, line, quoted)

    def _backticks(self, quoted: bool) -> Opaque:
        line, begin, at = self.line, self.at, self.at + 1
        while at < len(self.text) and self.text[at] != "`":
            at += 2 if self.text[at] == "\\" else 1
        if at >= len(self.text):
            self.left_open(line)
        self.at = at + 1
        source = self.text[begin : self.at]
        self.line += source.count("\n")
        return Opaque(source, line, quoted)

    def _ansi(self, parts: list[Part]) -> None:
        at, pieces, since = self.at + 2, [], self.line
        while at < len(self.text) and self.text[at] != "'":
            if self.text[at] == "\\":
                after = self.text[at + 1 : at + 2]
                pieces.append(_ESCAPED.get(after, after if after in ("\\", "'", '"', "?") else "\\" + after))
                at += 2
            else:
                pieces.append(self.text[at])
                at += 1
        if at >= len(self.text):
            self.left_open(since)
        self.line += self.text.count("\n", self.at, at)
        self.at = at + 1
        parts.append(Literal("".join(pieces), since, True))

    def left_open(self, since: int) -> None:
        """Note that what begins in line *since* is never closed."""
        self.open_since = self.open_since or since
