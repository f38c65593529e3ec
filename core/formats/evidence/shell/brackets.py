"""Where a bracket closes that holds what is not looked into."""

from __future__ import annotations


def closing(text: str, at: int, depth: int) -> int:
    """Return where the bracket that is the *depth*-th open one at *at* closes, -1 if it never does."""
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == "'":
            at = text.find("'", at + 1)
            if at < 0:
                return -1
        elif char == '"':
            at = _closing_quote(text, at + 1)
            if at < 0:
                return -1
        elif char == "(":
            depth += 1
        elif char == ")":
            depth -= 1
            if not depth:
                return at
        at += 1
    return -1


def _closing_quote(text: str, at: int) -> int:
    """Return where the double quote closes that is open at *at*; quotes inside of ``$(...)`` are its own."""
    inner = 0
    while at < len(text):
        char = text[at]
        if char == "\\":
            at += 1
        elif char == '"' and not inner:
            return at
        elif text.startswith("$(", at):
            inner += 1
            at += 1
        elif char == ")" and inner:
            inner -= 1
        at += 1
    return -1
