"""Whether a line only prints: nothing that it calls does more than give a value."""

from __future__ import annotations

import re

from core.precheck.source.table import source_table

TEXT = re.compile(r"('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")")
"""A text in quotes."""
_FORMATTED = re.compile(r"(?<!\w)[rR]?[fF][rR]?('(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")")
_MORE = re.compile(r";|:=|\+\+|--|\bout\s*=|\b(?:await|yield)\b")
"""What puts a second statement, or a value that is kept, into a line that prints."""
_MORE_IN_SHELL = re.compile(r";|&|\||>|<\(")
"""A further command, or a file."""
_EXPANDED = re.compile(r"`|\$\(|\$\{[^}]*=")
"""What a shell runs or sets even inside of double quotes."""
_VALUE = re.compile(r"['\"]?(?=\S*[\d$])[^\s'\"]+['\"]?")
"""A word with a number or a variable: what a function of a shell gives back is printed so."""
_CALL = re.compile(r"\b(?!(?:in|is|not|and|or|if|else|for|lambda)\b)\w+\s*\(|[)\]]\s*\(")


def only_prints(line: str, *, free: bool) -> bool:
    """Return whether *line* prints and changes nothing.

    Parameters
    ----------
    line
        One line without comments.
    free
        It is Python or C; a shell runs commands in texts too.
    """
    table = source_table()
    head = table.logging.match(line)
    if head is None:
        return False
    rest = line[head.end() :]
    if not free:
        if _EXPANDED.search(rest) or _MORE_IN_SHELL.search(TEXT.sub("''", rest)):
            return False
        return _VALUE.fullmatch(rest.strip()) is None
    said = TEXT.sub("''", _FORMATTED.sub(_fields, rest))
    return not _MORE.search(said) and not _CALL.search(table.harmless.sub(" ,", said))


def _fields(found: re.Match[str]) -> str:
    """Return what a formatted text works out, as the code that it is."""
    inside = found[1][1:-1].replace("{{", "").replace("}}", "")
    return " , ".join(("''", *re.findall(r"\{([^{}]*)", inside)))
