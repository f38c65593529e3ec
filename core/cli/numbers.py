"""Numbers as people type them on a command line."""

from __future__ import annotations

import argparse

from core.messages import text


def whole_numbers(words: str) -> tuple[int, ...]:
    """Return the numbers that ``3``, ``0,2`` or ``0-3,7`` name.

    Raises
    ------
    argparse.ArgumentTypeError
        If *words* is no such list.
    """
    found: set[int] = set()
    try:
        for part in words.split(","):
            first, dash, last = part.strip().partition("-")
            span = range(int(first), int(last) + 1) if dash else [int(first)]
            if not span:
                raise ValueError(part)
            found.update(span)
    except ValueError:
        raise argparse.ArgumentTypeError(text("cli.bad_numbers", words=words)) from None
    return tuple(sorted(found))


def positive(words: str) -> int:
    """Return the whole number above 0 that *words* names.

    Raises
    ------
    argparse.ArgumentTypeError
        If it names none.
    """
    if not words.isascii() or not words.isdecimal() or int(words) < 1:
        raise argparse.ArgumentTypeError(text("cli.bad_count", words=words))
    return int(words)
