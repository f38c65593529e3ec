"""A change of language: who cannot say its words does not keep the others from theirs."""

from __future__ import annotations

import sys

import pytest
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from core.messages import Message, current_language, text
from gui.application import FailureReporter
from gui.main_window import MainWindow
from gui.widgets.translated import Translated


class Breaking(Translated, QLabel):
    """Cannot say its words."""

    def retranslate(self) -> None:
        raise ValueError("no words")


class Sound(Translated, QLabel):
    """Says which language it is."""

    def retranslate(self) -> None:
        self.setText(current_language())


@pytest.mark.parametrize("parts", [(Breaking, Sound), (Sound, Breaking), (Breaking, Sound, Breaking, Sound)])
def test_one_that_breaks_is_told_of_and_the_others_get_their_words(
    qtbot: QtBot, window: MainWindow, parts: tuple[type[QLabel], ...]
) -> None:
    box = QWidget(window)
    inner = QVBoxLayout(box)
    made = [part() for part in parts]
    for part in made:
        inner.addWidget(part)
    with qtbot.captureExceptions() as told:
        for language in ("zh_CN", "en", "zh_CN"):
            window.actions_registry[f"language_{language}"].trigger()
            QApplication.processEvents()
            assert {part.text() for part in made if isinstance(part, Sound)} == {language}
    assert [kind for kind, _, _ in told] == [ValueError] * 3 * parts.count(Breaking)
    assert window.welcome.isVisible()


def test_one_that_breaks_is_told_in_the_notice_bar(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reporter = FailureReporter()
    reporter.failed.connect(lambda words: window.notice.say(Message("gui.notice.unexpected"), words))
    broken = Breaking(window)
    monkeypatch.setattr("sys.excepthook", sys.excepthook)  # put back afterwards
    reporter.install()
    window.actions_registry["language_zh_CN"].trigger()
    assert window.notice.isVisible()
    assert window.notice.sentence == text("gui.notice.unexpected")
    assert "no words" in capsys.readouterr().err
    broken.setParent(None)
