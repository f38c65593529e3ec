"""Labels for running text: wrapped, selectable, breaking long names where a reader would."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel

_BREAK = "\u200b"
"""Zero-width space: a line may end here."""
_NAME = re.compile(r"`([^`]+)`|[\w/]+(?:[./][\w/]+){2,}")


def wrapped_label(role: str) -> QLabel:
    """Return a label of plain text in as many lines as it needs; *role* is its name in the style sheet."""
    label = QLabel()
    label.setObjectName(role)
    label.setWordWrap(True)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    label.setMinimumWidth(1)
    return label


def heading_label() -> QLabel:
    """Return the heading of a part of a column."""
    label = QLabel()
    label.setObjectName("strong")
    label.setContentsMargins(0, 6, 0, 0)
    return label


def breakable(name: str) -> str:
    """Allow a long dotted name or path to break after its dots, slashes and underscores."""
    for sign in "./_":
        name = name.replace(sign, sign + _BREAK)
    return name


def unbroken(shown: str) -> str:
    """Return what :func:`breakable` was given."""
    return shown.replace(_BREAK, "")


def marked_up(sentence: str, fixed: QFont) -> str:
    """Return *sentence* as rich text: names with dots, or in backticks, in the font *fixed*, breakable."""
    families = ", ".join(f"'{family}'" for family in fixed.families())

    def name(found: re.Match[str]) -> str:
        return f'<span style="font-family: {families};">{breakable(found[1] or found[0])}</span>'

    return _NAME.sub(name, html.escape(sentence, quote=False))
