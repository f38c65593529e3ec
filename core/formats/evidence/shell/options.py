"""Arguments of a command line as settings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from core.formats.evidence.shell.values import Field
from core.records.evidence import Place, Value

_NUMBER = re.compile(r"[-+](?:\d|\.\d|inf).*", re.I)
_OPTION = re.compile(r"--?[A-Za-z_][\w.\-]*(?:\[[^\]]*\])?(?:=.*)?", re.S)
_OVERRIDE = re.compile(r"[+~]{0,2}(?P<name>[A-Za-z_][\w./@\-]*)=(?P<value>.*)", re.S)


class Option(NamedTuple):
    """One option, or a bare argument (its *name* is empty)."""

    name: str
    value: Value
    place: Place
    known: bool = True


def options_of(fields: Sequence[Field]) -> Iterator[Option]:
    """Yield the options among *fields*: ``--name value``, ``--name=value``, ``--name``, ``name=value``.

    A name keeps its spelling without the dashes. What follows a name up to the next option is its value;
    several words are a tuple, and none are ``True``. A word that begins with ``#`` hides the rest of its
    line, as in arguments that were commented out.
    """
    name = ""
    values: list[Field] = []
    head: Field | None = None
    hidden: Place | None = None
    for item in fields:
        text = item.text
        if hidden is not None and item.place == hidden:
            continue
        hidden = item.place if text[:1] == "#" else None
        if hidden is not None:
            continue
        if _is_option(text):
            if head is not None:
                yield _finished(name, values, head)
            name, values, head = text.lstrip("-"), [], item
            if "=" in name:
                name, _, value = name.partition("=")
                yield Option(name, value, item.place, item.known)
                head = None
        elif head is not None:
            values.append(item)
        elif found := _OVERRIDE.fullmatch(text):
            yield Option(found["name"], found["value"], item.place, item.known)
        else:
            yield Option("", text, item.place, item.known)
    if head is not None:
        yield _finished(name, values, head)


def has_options(fields: Sequence[Field]) -> bool:
    """Tell whether *fields* are options, as the variables of a launch script hold them."""
    return bool(fields) and fields[0].text[:2] == "--" and _is_option(fields[0].text)


def _is_option(text: str) -> bool:
    return text[:1] == "-" and not _NUMBER.fullmatch(text) and bool(_OPTION.fullmatch(text))


def _finished(name: str, values: Sequence[Field], head: Field) -> Option:
    known = head.known and all(item.known for item in values)
    if not values:
        return Option(name, True, head.place, known)
    if len(values) == 1:
        return Option(name, values[0].text, head.place, known)
    return Option(name, tuple(item.text for item in values), head.place, known)
