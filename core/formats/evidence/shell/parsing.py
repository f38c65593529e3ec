"""A script as its simple commands in their order, with the words that open and close compound ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from core.formats.evidence.shell.scanning import RESERVED, Operator, Token
from core.formats.evidence.shell.words import (
    Assignment,
    Command,
    Keyword,
    Redirect,
    Statement,
    Word,
    bare,
    line_of,
)


class Parser:
    """One pass over the tokens; what is no shell costs the command it stands in."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self._tokens = iter(tokens)
        self._words: list[Word] = []
        self._assignments: list[Assignment] = []
        self._redirects: list[Redirect] = []
        self._line = 0
        self._before = ";"
        self._cases: list[bool] = []
        """Of each open ``case`` whether a pattern comes next."""
        self._naming = False
        """The name of a function was read, and not yet its body."""
        self._subshells = 0

    def statements(self) -> Iterator[Statement]:
        """Yield commands and reserved words."""
        for token in self._tokens:
            if isinstance(token, Operator):
                yield from self._operator(token)
            elif self._cases and self._cases[-1]:
                if isinstance(token, tuple) and bare(token) == "esac":
                    self._cases.pop()
                    yield Keyword("esac", line_of(token))
            elif isinstance(token, Redirect):
                self._redirects.append(token)
            elif isinstance(token, Assignment):
                self._line = self._line or token.line
                self._assignments.append(token)
            elif not self._words and not self._assignments and (word := bare(token)) in RESERVED:
                yield from self._reserved(word or "", token)
            else:
                self._line = self._line or line_of(token)
                self._words.append(token)
                if bare(token) == "[[" and len(self._words) == 1:
                    self._conditional()
        yield from self._command(";")

    def _operator(self, token: Operator) -> Iterator[Statement]:
        if self._cases and self._cases[-1]:
            if token.text == ")":
                self._cases[-1] = False
            return
        if token.text in ("(", ")"):
            yield from self._bracket(token)
            return
        after = token.text if token.text in ("&&", "||", "|", "|&") else ";"
        yield from self._command(after)
        if self._cases and token.text in (";;", ";&", ";;&"):
            self._cases[-1] = True

    def _bracket(self, token: Operator) -> Iterator[Statement]:
        """Read the brackets of ``NAME()``, or those of a subshell."""
        if self._naming:
            self._naming = token.text == "("
        elif token.text == "(" and len(self._words) == 1 and not self._assignments:
            yield Keyword("function", self._line, bare(self._words[0]) or "")
            self._words.clear()
            self._line, self._naming = 0, True
        elif token.text == "(" and not self._words:
            self._subshells += 1
            yield Keyword("(", token.line)
        else:
            yield from self._command(";")
            if token.text == ")" and self._subshells:
                self._subshells -= 1
                yield Keyword(")", token.line)

    def _command(self, after: str) -> Iterator[Statement]:
        if self._words or self._assignments or self._redirects:
            yield Command(
                tuple(self._words),
                tuple(self._assignments),
                tuple(self._redirects),
                self._line,
                self._before,
            )
            self._words, self._assignments, self._redirects, self._line = [], [], [], 0
            self._before = after
        elif after != ";":
            self._before = after

    def _reserved(self, word: str, token: Word) -> Iterator[Statement]:
        self._before = ";"
        self._naming = False
        line = line_of(token)
        if word == "for":
            yield self._for(line)
        elif word == "case":
            for _ in self._until_words(("in",)):
                pass
            self._cases.append(True)
            yield Keyword(word, line)
        elif word == "esac" and self._cases:
            self._cases.pop()
            yield Keyword(word, line)
        elif word == "function":
            named = next(self._tokens, None)
            self._naming = True
            yield Keyword("function", line, (bare(named) if isinstance(named, tuple) else None) or "")
        elif word != "time":
            yield Keyword(word, line)

    def _for(self, line: int) -> Keyword:
        header = list(self._until_words(("do",)))
        words = [token for token in header if isinstance(token, tuple)]
        name = bare(words[0]) if words else None
        values = tuple(words[2:]) if len(words) > 1 and bare(words[1]) == "in" else ()
        return Keyword("for", line, name or "", values)

    def _until_words(self, ends: tuple[str, ...]) -> Iterator[Token]:
        for token in self._tokens:
            if isinstance(token, tuple) and bare(token) in ends:
                return
            yield token

    def _conditional(self) -> None:
        """Read up to ``]]``; operators between count as words, so that no test of them is decided."""
        for token in self._until_words(("]]",)):
            if isinstance(token, tuple):
                self._words.append(token)
            elif not (isinstance(token, Operator) and token.text == "\n"):
                self._words += [(), ()]
