"""Sentences for people, as codes.

Core code never writes prose. It returns a :class:`Message`, a code with parameters, and one gettext
catalogue (``resources/messages``) renders it for the command line, the reports and the window, in
English and 简体中文. A code without an entry in both catalogues fails a test.
"""

from __future__ import annotations

import gettext
import locale
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

LANGUAGES = ("en", "zh_CN")
"""Languages with a catalogue; the first one is the fallback."""

Parameter = str | int | float
"""What a message may be filled with. Numbers are formatted by the catalogue entry."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence to be rendered later: a catalogue code and what fills its fields.

    A parameter named ``count`` selects the plural form where the catalogue has one.
    """

    code: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


@lru_cache(maxsize=len(LANGUAGES))
def _catalogue(language: str) -> gettext.NullTranslations:
    with (files("resources.messages") / language / "ulpscope.mo").open("rb") as stream:
        return gettext.GNUTranslations(stream)


def render(message: Message, language: str | None = None) -> str:
    """Return the sentence of *message* in *language* (default: :func:`current_language`).

    A code that the catalogue lacks renders as the code itself with its parameters: a reader sees an
    ugly sentence, never a crash.
    """
    catalogue = _catalogue(language or current_language())
    count = message.parameters.get("count")
    if isinstance(count, int):
        template = catalogue.ngettext(message.code, message.code + "#plural", count)
    if not isinstance(count, int) or template in (message.code, message.code + "#plural"):
        template = catalogue.gettext(message.code)
    if template == message.code:
        return f"{message.code} {dict(message.parameters)}" if message.parameters else message.code
    return template.format_map(dict(message.parameters)) if message.parameters else template


def text(code: str, /, language: str | None = None, **parameters: Parameter) -> str:
    """Render ``Message(code, parameters)`` at once; for texts that never travel."""
    return render(Message(code, parameters), language)


_chosen: str | None = None


def set_language(language: str | None) -> None:
    """Choose the language of this process; ``None`` follows the system again.

    Raises
    ------
    ValueError
        If there is no catalogue for *language*.
    """
    global _chosen
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"no catalogue for {language!r}, only {LANGUAGES}")
    _chosen = language


def chosen_language() -> str | None:
    """Return what :func:`set_language` chose; ``None`` while the system is followed."""
    return _chosen


def current_language() -> str:
    """Return the chosen language, else the one the environment asks for, else English."""
    if _chosen is not None:
        return _chosen
    for variable in ("ULPSCOPE_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        wish = os.environ.get(variable, "")
        if wish:
            return _nearest(wish)
    return _nearest(locale.getlocale()[0] or "")


def _nearest(name: str) -> str:
    return "zh_CN" if name.replace("-", "_").lower().startswith(("zh", "chinese")) else LANGUAGES[0]
