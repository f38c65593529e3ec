"""A form of line of the user's own: tried as it is typed, kept, and read by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from builders import curves as logs
from PySide6.QtWidgets import QApplication, QDialog

from core.formats.logs.patterns import LinePattern, load_patterns
from gui.main_window import MainWindow
from gui.views.curves.pattern_dialog import PatternDialog

EXPRESSION = r"<(?P<step>\d+)> L~(?P<loss>[\d.]+)"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log that no known form describes, of a hundred steps."""
    path = tmp_path / "own.log"
    path.write_text("".join(f"<{step}> L~{10 / step:.4f} ok\n" for step in range(1, 101)), "utf-8")
    return path


@pytest.fixture
def dialog(
    window: MainWindow, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[PatternDialog]:
    monkeypatch.setenv("ULPSCOPE_PATTERNS", str(tmp_path / "patterns"))
    made = PatternDialog(window.context, str(log), None, window)
    made.open()
    yield made
    made.reject()


def typed(dialog: PatternDialog, expression: str, patience: Callable[..., None]) -> None:
    """Type *expression* and wait until something is said of it."""
    dialog.verdict.setText("")
    dialog.expression.setText(expression)
    patience(lambda: bool(dialog.verdict.text()) and dialog.service.idle)


def test_an_expression_is_tried_as_it_is_typed(dialog: PatternDialog, patience: Callable[..., None]) -> None:
    typed(dialog, EXPRESSION, patience)
    assert dialog.verdict.text() == "100 of the first 100 lines match."
    assert dialog.use.isEnabled()
    values = dialog.preview.values
    assert [values.horizontalHeaderItem(at).text() for at in range(3)] == ["Line", "step", "Loss"]
    assert [values.item(1, at).text() for at in range(3)] == ["2", "2", "5"]
    assert len(dialog.preview.lines.extraSelections()) == 200
    typed(dialog, "(", patience)
    assert dialog.verdict.text().startswith("This is no regular expression: missing )")
    assert "“”" not in dialog.verdict.text()
    assert not dialog.use.isEnabled()
    assert dialog.expression.property("wrong")
    typed(dialog, r"(?P<step>\d+)", patience)
    assert dialog.verdict.text().startswith("This expression names no value")
    typed(dialog, r"(?P<step>\d+) nothing (?P<loss>x)", patience)
    assert dialog.verdict.text().startswith("0 of the first")
    assert not dialog.use.isEnabled()


def test_an_expression_that_never_ends_is_given_up(
    dialog: PatternDialog, log: Path, patience: Callable[..., None]
) -> None:
    log.write_text("a" * 60 + "!\n", "utf-8")
    dialog._limit.setInterval(300)
    typed(dialog, r"(?P<loss>(a+)+)$", patience)
    assert "too long" in dialog.verdict.text()
    dialog._limit.setInterval(30_000)
    typed(dialog, r"(?P<loss>a)", patience)  # and the next one is tried all the same
    assert "too long" not in dialog.verdict.text()


def test_patterns_are_kept_and_forgotten(dialog: PatternDialog, patience: Callable[..., None]) -> None:
    typed(dialog, EXPRESSION, patience)
    assert not dialog.keep.isEnabled()
    dialog.name.setText("own form")
    dialog.keep.click()
    assert load_patterns().patterns == (LinePattern("own form", EXPRESSION),)
    assert dialog.saved.currentText() == "own form"
    typed(dialog, "(", patience)
    dialog.saved.activated.emit(1)
    assert dialog.expression.text() == EXPRESSION
    dialog.forget.click()
    assert load_patterns().patterns == ()
    assert dialog.saved.count() == 1


def test_a_log_is_read_by_it(
    window: MainWindow, log: Path, monkeypatch: pytest.MonkeyPatch, patience: Callable[..., None]
) -> None:
    state = logs.answer_at_once(window, monkeypatch)
    state.open([str(log)])
    window.session.arrivals.log = str(log)
    window.page_bar.set_page(None)
    window.page_bar._load()
    window.pages.show_curves()
    assert window.pages.curves is not None
    page = window.pages.curves.curves
    assert page is not None
    run = state.runs[0]
    state.read_again(run.number, LinePattern("own form", EXPRESSION))
    assert run.run is not None
    assert run.run.curves["loss"].values[1] == 5.0
    assert "by the pattern own form" in page.runs.rows[run.number].facts.text()
    page.ask_pattern(run.number)
    dialog = page.findChild(QDialog)
    assert isinstance(dialog, PatternDialog)
    assert dialog.expression.text() == EXPRESSION
    patience(lambda: dialog.preview.matched == 100 and dialog.service.idle)
    dialog.plain.click()
    QApplication.processEvents()
    assert run.pattern is None
