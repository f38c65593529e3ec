"""Shell text as words and operators, in their order; here-documents are put where they are named."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.formats.evidence.shell.quoting import BLANKS, WordReader
from core.formats.evidence.shell.words import Assignment, HereDocument, Literal, Part, Redirect, Word, bare

_OPERATORS = re.compile(r"&&|\|\||;;&|;;|;&|\|&|&(?!>)|\||;|\n|\(\(|\(|\)")
_REDIRECT = re.compile(r"(?:\d{1,4}|\{\w+\})?(?P<op>&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>\||>&|>)")
_IN_DOCUMENT = re.compile(r"[^\\$`\n]++")
_ASSIGNED = re.compile(r"(?P<name>[A-Za-z_]\w*)(?:\[(?P<index>[^\]\s]{0,100})\])?(?P<plus>\+)?=", re.A)


@dataclass(frozen=True, slots=True)
class Operator:
    """``;``, ``&&``, a line end ..."""

    text: str
    line: int


Token = Word | Operator | Redirect | Assignment
RESERVED = frozenset(
    (
        "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "{", "}",
        "!", "time", "function", "select",
    )
)  # fmt: skip
"""Words that count at the beginning of a command only; another command may follow them."""


class Scanner(WordReader):
    """Reads a script from its beginning; what is left open at the end is closed there, and noted."""

    def __init__(self, text: str, line: int = 1) -> None:
        super().__init__(text, line)
        self._pending: list[tuple[int, str, bool, bool]] = []
        self._found: dict[int, HereDocument] = {}

    def tokens(self) -> Iterator[Token]:
        """Yield words, operators, redirections and assignments.

        Raises
        ------
        Unreadable
            If expansions are nested too deeply.
        """
        waiting: list[Token] = []
        """From a here-document on, until its text is read."""
        first, naming = True, False
        while self.at < len(self.text):
            self._blanks()
            if self.at >= len(self.text):
                break
            token = self._token(first)
            if token is None:
                continue
            named, naming = naming, first and isinstance(token, tuple) and bare(token) == "function"
            first = isinstance(token, Operator) or (first and (named or _opens(token)))
            waiting.append(token)
            if isinstance(token, Operator) and token.text == "\n" and self._pending:
                self._read_documents()
            if not self._pending:
                yield from map(self._with_document, waiting)
                waiting.clear()
        self._read_documents()
        yield from map(self._with_document, waiting)

    def whole(self) -> Word:
        """Return all that is left as the text of a double-quoted word, or of a here-document."""
        parts: list[Part] = []
        self.until("", parts, 0, _IN_DOCUMENT, quoted=True)
        return tuple(parts)

    def _token(self, first: bool) -> Token | None:
        if self.text[self.at] == "#":
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
            return None
        if found := _REDIRECT.match(self.text, self.at):
            if self.text[found.end() : found.end() + 1] == "(":  # <(...), >(...)
                return (self.substitution(found.end() + 1, False),)
            return self._redirect(found)
        if found := _OPERATORS.match(self.text, self.at):
            operator = Operator(found[0], self.line)
            if found[0] == "((":
                return (self.arithmetic_command(),)
            self.at = found.end()
            self.line += found[0] == "\n"
            return operator
        if (found := _ASSIGNED.match(self.text, self.at)) is not None:
            return self._assignment(found, first)
        before = self.at
        word = self.word(0)
        if self.at == before:
            self.at += 1
        return word or None

    def _blanks(self) -> None:
        while self.at < len(self.text):
            char = self.text[self.at]
            if char == "\\" and self.text[self.at + 1 : self.at + 2] == "\n":
                self.at += 2
                self.line += 1
            elif char in BLANKS:
                self.at += 1
            else:
                return

    def _assignment(self, found: re.Match[str], first: bool) -> Token:
        line = self.line
        begin = self.at
        self.at = found.end()
        values: list[Word] | None = None
        value: Word = ()
        if self.text[self.at : self.at + 1] == "(":
            self.at += 1
            values = self._elements(line)
        else:
            value = self.word(0)
        if not first and values is None:
            # After the command's name it is a word like any other; `export` looks into it.
            return (Literal(self.text[begin : found.end()], line, False), *value)
        return Assignment(
            found["name"],
            found["index"] or "",
            bool(found["plus"]),
            value,
            None if values is None else tuple(values),
            line,
        )

    def _elements(self, since: int) -> list[Word]:
        values: list[Word] = []
        while self.at < len(self.text):
            self._blanks()
            char = self.text[self.at : self.at + 1]
            if char == ")":
                self.at += 1
                return values
            if char == "\n":
                self.at += 1
                self.line += 1
            elif char == "#":
                end = self.text.find("\n", self.at)
                self.at = len(self.text) if end < 0 else end
            elif char:
                before = self.at
                word = self.word(0)
                if word:
                    values.append(word)
                if self.at == before:
                    self.at += 1
        self.left_open(since)
        return values

    def _redirect(self, found: re.Match[str]) -> Token:
        self.at = found.end()
        operator = found["op"]
        self._blanks()
        target = self.word(0)
        if operator in ("<<", "<<-"):
            quoted = any(not isinstance(part, Literal) or part.quoted for part in target)
            name = "".join(part.text if isinstance(part, Literal) else part.source for part in target)
            redirect = Redirect(operator, target)
            self._pending.append((id(redirect), name, quoted, operator == "<<-"))
            return redirect
        return Redirect(operator, target)

    def _read_documents(self) -> None:
        for key, name, quoted, tabs in self._pending:
            first, lines = self.line, []
            while self.at < len(self.text):
                end = self.text.find("\n", self.at)
                end = len(self.text) if end < 0 else end
                line = self.text[self.at : end]
                self.at = min(end + 1, len(self.text))
                self.line += 1
                line = line.lstrip("\t") if tabs else line
                if line == name:
                    break
                lines.append(line)
            text = "\n".join(lines)
            if quoted:
                word: Word = tuple(
                    Literal(line + "\n", number, True) for number, line in enumerate(lines, first)
                )
            else:
                word = Scanner(text, first).whole()
            self._found[key] = HereDocument(word, first)
        self._pending.clear()

    def _with_document(self, token: Token) -> Token:
        if isinstance(token, Redirect) and id(token) in self._found:
            return Redirect(token.operator, token.target, self._found.pop(id(token)))
        return token


def _opens(token: Token) -> bool:
    """Tell whether a command may still begin after *token*, which stands where one begins."""
    return isinstance(token, Assignment | Redirect) or (isinstance(token, tuple) and bare(token) in RESERVED)
