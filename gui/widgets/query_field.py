"""A field for the query language: it offers what may be typed next, and shows what it cannot understand."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from core.messages import render, text
from gui.looks.theme import Theme
from gui.models.pair.facts import Facts
from gui.models.search.query import parse_query
from gui.models.search.query_completion import Offer, offers_at
from gui.widgets.offer_list import OfferList
from gui.widgets.query_note import QueryNote

_PAGE = 8
_STEPS = {
    Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: _PAGE, Qt.Key.Key_PageUp: -_PAGE,
}  # fmt: skip
_TAKE = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab)


class QueryField(QLineEdit):
    """Down lists the offers, Enter or Tab takes the one that is chosen; without one they do as ever."""

    def __init__(self, theme: Theme, facts: Callable[[], Facts | None]) -> None:
        """*facts* gives those of the cell on show, for the values to offer."""
        super().__init__()
        self._theme, self._facts = theme, facts
        self._offers: OfferList | None = None
        self._note: QueryNote | None = None
        self._offered_for = ""
        self.setClearButtonEnabled(True)
        self.textEdited.connect(self._offer)
        self.textChanged.connect(self.check)

    @property
    def errors(self) -> list[str]:
        """What of the text could not be understood."""
        return [render(error) for error in parse_query(self.text()).errors]

    @property
    def offers(self) -> OfferList:
        """The list; made when it is first needed, over the window that the field is then in."""
        if self._offers is None:
            self._offers = OfferList(self._theme, self)
            self._offers.taken.connect(self._take)
        return self._offers

    def explain(self) -> None:
        """Say in the tool tip what may be typed, or what is wrong."""
        self.setToolTip("\n".join(self.errors) or text("gui.filter.help"))

    def check(self) -> None:
        """Show whether the text makes sense; what was offered for another is gone."""
        if self.text() != self._offered_for:
            self._close()
        wrong = bool(self.errors)
        if wrong != bool(self.property("wrong")):
            self.setProperty("wrong", wrong)
            self.style().unpolish(self)
            self.style().polish(self)
        self.explain()
        self._tell()

    @property
    def note(self) -> QueryNote:
        """What is wrong, in whole sentences; over the window like the offers."""
        if self._note is None:
            self._note = QueryNote(self)
        return self._note

    def _tell(self) -> None:
        """Say what is wrong under the field while it is typed in and nothing is offered there."""
        errors = self.errors if self.hasFocus() and not self._listed() else []
        if errors or self._note is not None:
            self.note.tell(errors)

    # ---- offers

    def _offer(self) -> None:
        self._list_offers() if self.text() else self._close()

    def _list_offers(self) -> None:
        self._offered_for = self.text()
        self.offers.offer(offers_at(self._offered_for, self.cursorPosition(), self._facts()))
        self._tell()

    def _take(self, offer: Offer) -> None:
        self.setSelection(offer.first, offer.last - offer.first)
        self.insert(offer.words)
        if not offer.words.endswith(":"):  # a value is whole; of a field the values are offered at once
            self._close()

    def _close(self) -> None:
        if self._offers is not None:
            self._offers.hide()
        self._tell()

    def _listed(self) -> bool:
        return self._offers is not None and self._offers.isVisible()

    def event(self, event: QEvent) -> bool:
        """Take Tab from the focus chain only while something is chosen."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and event.key() in _TAKE
            and self._listed()
        ):
            chosen = self.offers.chosen
            if chosen is not None:
                self._take(chosen)
                return True
            self._close()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if self._listed() and key in _STEPS:
            self.offers.turn(_STEPS[key])
            chosen = self.offers.chosen
            self.setAccessibleDescription(f"{chosen.words} {chosen.help}" if chosen is not None else "")
        elif self._listed() and key == Qt.Key.Key_Escape:
            self._close()
        elif key == Qt.Key.Key_Down or (
            key == Qt.Key.Key_Space and event.modifiers() == Qt.KeyboardModifier.ControlModifier
        ):
            self._list_offers()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._tell()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._close()
        super().focusOutEvent(event)
        self._tell()

    def hideEvent(self, event: QHideEvent) -> None:
        self._close()
        super().hideEvent(event)
