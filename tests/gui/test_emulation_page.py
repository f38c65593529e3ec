"""The emulation page as a person uses it: choose, replay, look, filter, cross over, cancel, choose anew."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from builders import emulations
from builders.results import gpt_result, result_info
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.messages import LANGUAGES, set_language
from core.records.emulation import EmulationVerdict
from core.records.run import CellKey
from core.store.cache import default_directory
from core.store.emulations import add_emulation, load_emulation
from core.store.results import result_writer
from gui.emulation.work import holds_emulation, is_our_own, joined
from gui.looks.theme import Theme
from gui.main_window import MainWindow
from gui.models.emulation.columns import PLACE_OF
from gui.pages.bar import Page
from gui.processes.work_state import Stage
from gui.views.emulation.view import EmulationView

LEFT = Qt.MouseButton.LeftButton
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
Patience = Callable[[Callable[[], bool]], None]


@pytest.fixture
def page(loaded: MainWindow) -> EmulationView:
    """Return the page of a window with a comparison in it whose result could be replayed."""
    loaded.session.result_path = "/no/result.h5"
    loaded.session.emulation.work = emulations.answers
    loaded.actions_registry["page_emulation"].trigger()
    assert loaded.pages.emulation is not None
    return loaded.pages.emulation


@pytest.fixture
def found(page: EmulationView) -> EmulationView:
    """Return the page with calls of every verdict on it."""
    page.state.show(emulations.replayed_mixed())
    QApplication.processEvents()
    return page


def cells(page: EmulationView, key: str) -> list[str]:
    """Return what a column shows, from top to bottom."""
    model = page.calls.model
    return [str(model.index(row, PLACE_OF[key]).data()) for row in range(model.rowCount())]


def texts(root: QWidget) -> list[str]:
    return [label.text() for label in root.findChildren(QLabel) if label.isVisible()]


# ---- choosing and replaying


def test_nothing_runs_before_it_is_asked_for(qtbot: QtBot, loaded: MainWindow) -> None:
    loaded.session.result_path = "/no/result.h5"
    loaded.session.emulation.work = emulations.never
    qtbot.mouseClick(loaded.page_bar.button(Page.EMULATION), LEFT)
    page = loaded.pages.emulation
    assert page is not None
    assert loaded.pages.page is Page.EMULATION
    assert page.state.stage is Stage.NOTHING
    assert page.start.isVisible()
    setup = page.start.setup
    titles = [setup.profile.itemText(at) for at in range(setup.profile.count())]
    assert "Ascend 910B / 910C (A2, A3)" in titles
    assert len(titles) == 4
    assert "documented" in setup.known.text()
    assert "not bit-exact" in page.start.honest.text()
    assert not loaded.top.search.isVisible()
    qtbot.keyClick(loaded, Qt.Key.Key_1, CONTROL_SHIFT)
    assert loaded.pages.page is Page.COMPARE


def test_what_is_chosen_is_replayed_and_remembered(
    qtbot: QtBot, page: EmulationView, patience: Patience, loaded: MainWindow
) -> None:
    setup = page.start.setup
    setup.profile.setFocus()
    setup.profile.setCurrentIndex(setup.profile.findData("910A"))
    setup.profile.activated.emit(setup.profile.currentIndex())
    assert not setup.options["overflow"].isVisible()  # the chip has one mode
    setup.profile.setCurrentIndex(setup.profile.findData("910B"))
    setup.profile.activated.emit(setup.profile.currentIndex())
    assert setup.options["overflow"].isVisible()
    products = setup.options["float32_product"]
    products.setFocus()
    qtbot.keyClick(products, Qt.Key.Key_Home)  # float16, the first
    qtbot.keyClick(setup.scope, Qt.Key.Key_Home)
    qtbot.mouseClick(setup.replay, LEFT)
    assert page.state.stage is Stage.WORKING
    assert page.note.isVisible()
    assert loaded.page_bar.button(Page.EMULATION).busy
    patience(lambda: page.state.stage is Stage.READY)
    assert page.state.found is not None
    assert page.state.found.title == "910B [('float32_product', 'float16')] 1"
    settings = loaded.context.settings
    assert settings.emulation_changed == {"float32_product": "float16"}
    assert not settings.emulation_all_cells
    assert page.calls.table.hasFocus()
    assert loaded.page_bar.button(Page.EMULATION).badge == "1"
    qtbot.mouseClick(page.headline.otherwise, LEFT)
    assert page.start.isVisible()
    qtbot.mouseClick(page.start.back, LEFT)
    assert page.calls.isVisible()


def test_a_profile_of_ones_own(
    qtbot: QtBot,
    page: EmulationView,
    tmp_path: Path,
    patience: Patience,
    monkeypatch: pytest.MonkeyPatch,
    loaded: MainWindow,
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        '[profile]\ntitle = "My chip"\nbased_on = "910B"\n\n[parameters]\nblock_half = 32\n', "utf-8"
    )
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    setup = page.start.setup
    qtbot.mouseClick(setup.own, LEFT)
    patience(lambda: setup.profile.currentText() == "My chip")
    assert "1 given by you" in setup.known.text()
    assert loaded.context.settings.emulation_profile == str(path)
    qtbot.mouseClick(setup.replay, LEFT)
    patience(lambda: page.state.stage is Stage.READY)
    assert page.state.found is not None
    assert page.state.found.title.startswith(str(path))
    path.write_text("[profile\n", "utf-8")
    qtbot.mouseClick(page.headline.otherwise, LEFT)
    qtbot.mouseClick(setup.own, LEFT)
    patience(lambda: bool(loaded.notice.sentence))
    assert "is not valid TOML" in loaded.notice.sentence
    assert setup.profile.currentText() == "My chip"


@pytest.mark.parametrize("work", [emulations.breaks, emulations.refuses])
def test_a_failure_is_told_and_leads_back(
    qtbot: QtBot, page: EmulationView, patience: Patience, work: Callable[..., object]
) -> None:
    page.state.work = work  # type: ignore[assignment]
    qtbot.mouseClick(page.start.setup.replay, LEFT)
    patience(lambda: page.state.stage is Stage.FAILED)
    assert page.note.sentences[0] == "The calls could not be replayed."
    broke = work is emulations.breaks
    assert ("planted" in page.state.details) == broke
    assert ("There is no chip profile" in page.note.sentences[1]) != broke
    assert page.note.button.hasFocus()
    qtbot.keyClick(page.note.button, Qt.Key.Key_Space)
    assert page.start.isVisible()


def test_it_can_be_stopped_and_what_was_found_before_stays(
    qtbot: QtBot, found: EmulationView, loaded: MainWindow
) -> None:
    found.state.work = emulations.never
    qtbot.mouseClick(found.headline.otherwise, LEFT)
    with qtbot.waitSignal(found.state.progressed, timeout=60_000):
        qtbot.mouseClick(found.start.setup.replay, LEFT)
    assert loaded.actions_registry["cancel"].isEnabled()
    loaded.pages.show_compare()
    assert not loaded.actions_registry["cancel"].isEnabled()  # it goes on meanwhile
    assert found.state.stage is Stage.WORKING
    loaded.pages.show_emulation()
    qtbot.mouseClick(found.note.progress.cancel, LEFT)
    assert found.state.stage is Stage.STOPPED
    assert found.note.sentences[0] == "The replay was stopped."
    qtbot.mouseClick(found.note.button, LEFT)
    assert found.start.back.isVisible()
    qtbot.mouseClick(found.start.back, LEFT)
    assert cells(found, "operator")[0] == "Functional.gelu.1.forward"


# ---- what was found


def test_the_answer_is_on_top_and_the_worst_call_first(found: EmulationView, loaded: MainWindow) -> None:
    assert found.headline.sentence == (
        "4 of 5 replayed calls are what Ascend 910B / 910C (A2, A3) arithmetic gives from their own inputs; "
        "one is not: Functional.gelu.1.forward (step0/rank0)."
    )
    assert "80\u202f%" in found.headline.details
    assert "One golden call is wrong on its own inputs" in found.headline.details
    assert cells(found, "operator")[:2] == ["Functional.gelu.1.forward", "Functional.linear.0.forward"]
    assert cells(found, "verdict")[0] == "outside"
    assert cells(found, "share")[0] == "60\u202f%"
    assert cells(found, "remark")[-2:] == ["a module of several operators"] * 2
    assert found.side.call.sentences[0].startswith("Functional.gelu.1.forward: Ascend 910B")
    assert found.side.call.sentences[1] == (
        "40 of 100 elements lie outside; 60 inside the envelope, 0 inside the error bound."
    )
    assert found.calls.table.currentIndex().row() == 0
    assert "1 call outside" in loaded.page_bar.button(Page.EMULATION).accessibleName()


def test_chips_and_words_filter(qtbot: QtBot, found: EmulationView, patience: Patience) -> None:
    chips = found.headline.chips
    assert {verdict.value: chip.count for verdict, chip in chips.items()} == {
        "inside_envelope": 1, "inside_bound": 3, "outside": 1, "not_replayed": 3,
    }  # fmt: skip
    qtbot.mouseClick(chips[EmulationVerdict.OUTSIDE], LEFT)
    assert cells(found, "operator") == ["Functional.gelu.1.forward"]
    assert "1 of 8" in found.calls.header.subtitle
    qtbot.mouseClick(chips[EmulationVerdict.OUTSIDE], LEFT)
    assert [chip.text() for chip in found.headline.reasons.values()] == [
        "2 a module of several operators", "1 random",
    ]  # fmt: skip
    qtbot.mouseClick(found.headline.reasons["random"], LEFT)
    assert cells(found, "remark") == ["random"]
    qtbot.mouseClick(found.headline.reasons["random"], LEFT)
    qtbot.keyClicks(found.calls.field, "LINEAR forw")
    patience(lambda: found.calls.model.rowCount() == 2)
    assert cells(found, "operator") == ["Functional.linear.0.forward", "Functional.linear.10.forward"]
    qtbot.keyClicks(found.calls.field, " nothing")
    qtbot.keyClick(found.calls.field, Qt.Key.Key_Return)
    assert found.calls._note.isVisible()
    qtbot.mouseClick(found.calls._note._button, LEFT)
    assert found.calls.model.rowCount() == 8
    assert found.calls.field.text() == ""


def test_headings_sort_three_ways(qtbot: QtBot, found: EmulationView) -> None:
    header = found.calls.table.horizontalHeader()

    def click(key: str) -> None:
        left = header.sectionViewportPosition(PLACE_OF[key])
        qtbot.mouseClick(header.viewport(), LEFT, pos=QPoint(left + 20, 8))

    click("profile")
    assert cells(found, "profile") == ["4\u202f096", "12", "7", "3", "1", "", "", ""]
    click("profile")
    assert cells(found, "profile") == ["1", "3", "7", "12", "4\u202f096", "", "", ""]
    click("profile")
    assert cells(found, "verdict")[0] == "outside"
    assert "worst first" in found.calls.header.subtitle
    click("operator")
    names = cells(found, "operator")
    assert names.index("Functional.linear.2.backward") < names.index("Functional.linear.10.forward")
    assert found.calls.table.currentIndex().siblingAtColumn(PLACE_OF["operator"]).data() == (
        "Functional.gelu.1.forward"
    )


@pytest.mark.parametrize("by", ["enter", "double click", "button"])
def test_a_call_is_shown_in_the_comparison(
    qtbot: QtBot, found: EmulationView, loaded: MainWindow, by: str
) -> None:
    table = found.calls.table
    qtbot.keyClick(table, Qt.Key.Key_Down)
    if by == "enter":
        qtbot.keyClick(table, Qt.Key.Key_Return)
    elif by == "double click":
        where = table.visualRect(table.currentIndex()).center()
        qtbot.mouseClick(table.viewport(), LEFT, pos=where)
        qtbot.mouseDClick(table.viewport(), LEFT, pos=where)
    else:
        qtbot.mouseClick(found.side.show_button, LEFT)
    assert loaded.pages.page is Page.COMPARE
    facts, row = loaded.session.facts, loaded.session.row
    assert facts is not None
    assert facts.operators[int(facts.operator[row])] == "Functional.linear.0.forward"
    assert facts.slots[int(facts.slot[row])] == "output.0"
    loaded.pages.show_emulation()
    assert found.state.row == 1  # the page is as it was left


def test_f8_goes_from_one_call_outside_to_the_next(
    qtbot: QtBot, page: EmulationView, loaded: MainWindow
) -> None:
    verdict = EmulationVerdict.OUTSIDE
    calls = (*emulations.mixed(), emulations.call("Functional.linear.4.forward", verdict))
    page.state.show(emulations.replayed_of(emulations.emulation(calls)))
    assert page.side.turn.words == "1 of 2"
    loaded.actions_registry["next_outside"].trigger()
    assert page.side.call.call is not None
    assert page.side.call.call.operator == "Functional.linear.4.forward"
    loaded.actions_registry["next_outside"].trigger()
    assert page.side.call.call.operator == "Functional.gelu.1.forward"
    loaded.actions_registry["previous_outside"].trigger()
    assert page.state.row == 8
    qtbot.mouseClick(page.side.turn.before, LEFT)
    assert page.state.row == 2
    assert not loaded.actions_registry["next_birth"].isEnabled()
    assert not loaded.actions_registry["next_suspect"].isEnabled()


def test_all_that_is_known_of_a_call(qtbot: QtBot, found: EmulationView) -> None:
    panel = found.side.call
    rows = panel.distances.texts()
    assert rows[0][1:] == ["max ULP", "mean ULP", "rel. L2", "equal", "special"]
    assert [row[0] for row in rows] == [
        "Target to", "float64", "profile", "CPU", "golden", "Golden to", "float64", "CPU",
    ]  # fmt: skip
    assert rows[2][1:] == ["4\u202f096", "0.5", "1.5e−04", "50\u202f%", "0"]
    assert rows[3][5] == "2"
    facts = {row[0]: row[1] for row in panel.facts.texts()}
    assert facts["Closest setting"] == "splits=2  (62.5\u202f%)"
    assert facts["Cancellation"] == "median 2, largest 64"
    assert facts["Arguments assumed"] == "eps=1e-05"
    assert facts["Overflow status bits"] == "output of the matrix unit: overflow"
    assert dict(panel.worst.texts()) == {  # type: ignore[arg-type]
        "Target": "1.5", "float64": "1", "profile": "1.00097656", "CPU": "1",
        "envelope": "1 … 1.00195312", "error bound around float64": "± 0.005",
    }  # fmt: skip
    assert [mark.value for mark in panel.line.marks] == [1.5, 1.0, 1.0009765625, 1.0]
    assert "50 elements, 0 ULP" in panel.bars.accessibleDescription()
    qtbot.mouseClick(found.side.copy_button, LEFT)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert len(lines) == 7
    assert lines[0].split("\t")[:3] == ["Operator", "Step, rank", "Verdict"]
    assert lines[2].split("\t")[-6:] == ["profile", "4096.0", "0.5", "0.00015", "0.5", "0"]


def test_several_outputs_are_turned_through(qtbot: QtBot, found: EmulationView) -> None:
    found.state.choose(7)
    panel = found.side.call
    assert panel.turn.words == "2 of 2"  # the one explained least comes first
    assert panel.slot is not None
    assert panel.slot.slot == "output.1"
    qtbot.mouseClick(panel.turn.after, LEFT)
    assert panel.slot.slot == "output.0"
    assert "All 100 elements lie inside the envelope." in panel.sentences[1]


def test_a_call_that_was_not_replayed_says_why(found: EmulationView) -> None:
    found.state.choose(3)
    panel = found.side.call
    assert panel.sentences[0] == "Functional.dropout.0.forward was not replayed: it draws random numbers."
    assert not panel.distances.isVisible()
    assert not panel.bars.isVisible()


def test_the_profile_tells_how_each_parameter_is_known(qtbot: QtBot, found: EmulationView) -> None:
    side = found.side
    qtbot.mouseClick(side.tabs, LEFT, pos=side.tabs.tabRect(1).center())
    assert side.profile.isVisible()
    rows = [row.words for row in side.profile.rows if row.isVisibleTo(side.profile)]
    assert ("Accumulator", "float32", "documented") in rows
    assert ("Rounding of the accumulator", "nearest_even", "inferred") in rows
    assert "not bit-exact" in side.profile.honest.text()
    assert any("Mmad" in words for words in texts(side.profile))
    assert "block_half\t16\tdocumented\t" in found.side.copied_text()


def test_rows_are_copied_with_headings(qtbot: QtBot, found: EmulationView, loaded: MainWindow) -> None:
    found.calls.table.setFocus()
    qtbot.keyClick(found.calls.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    loaded.actions_registry["copy"].trigger()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert [line.split("\t")[1] for line in lines] == [
        "Operator", "Functional.gelu.1.forward", "Functional.linear.0.forward",
    ]  # fmt: skip
    assert lines[1].split("\t")[5] == "4096.0"


@pytest.mark.parametrize(("kind", "name"), [("CSV (*.csv)", "calls.csv"), ("JSON (*.json)", "calls")])
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_calls_are_exported(
    qtbot: QtBot, found: EmulationView, loaded: MainWindow, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, kind: str, name: str, language: str,
) -> None:  # fmt: skip
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / name), kind))
    monkeypatch.setenv("ULPSCOPE_LANGUAGE", "en")  # what the worker would speak by itself
    set_language(language)
    try:
        found.headline.chips[EmulationVerdict.OUTSIDE].click()  # what is filtered makes no difference
        with qtbot.waitSignal(loaded.session.succeeded, timeout=60_000):
            qtbot.mouseClick(found.calls._export, LEFT)
            assert not loaded.actions_registry["export"].isEnabled()
            assert loaded.actions_registry["cancel"].isEnabled()
    finally:
        set_language("en")
    (written,) = tmp_path.iterdir()
    assert str(written) in loaded.notice.sentence
    assert loaded.actions_registry["export"].isEnabled()
    if written.suffix == ".json":
        rows = json.loads(written.read_text("utf-8"))["rows"]
        slots = [slot["slot"] for row in rows for slot in row["slots"]]
    else:
        rows = list(csv.DictReader(written.read_text("utf-8-sig").splitlines()))
        slots = [row["slot"] for row in rows if row["slot"]]
    calls = emulations.mixed()
    names = [row["operator"] for row in rows]
    assert list(dict.fromkeys(names)) == [call.operator for call in calls]
    assert slots == [slot.slot for call in calls for slot in call.slots]
    assert ("随机" in rows[3]["sentence"]) == (language == "zh_CN")


def test_an_export_that_cannot_be_written_says_why(
    qtbot: QtBot,
    found: EmulationView,
    loaded: MainWindow,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(blocked / "a.csv"), ""))
    with qtbot.waitSignal(loaded.session.noticed, timeout=60_000):
        loaded.actions_registry["export"].trigger()
    assert loaded.notice.isVisible()
    assert not found.state.exports.running
    loaded.actions_registry["export"].trigger()
    loaded.actions_registry["cancel"].trigger()
    assert not found.state.exports.running


def test_only_what_was_replayed_can_be_exported(page: EmulationView, loaded: MainWindow) -> None:
    assert not loaded.actions_registry["export"].isEnabled()
    page.state.show(emulations.replayed_mixed())
    assert loaded.actions_registry["export"].isEnabled()


def test_what_the_model_is_not_is_said_beside_what_it_found(
    qtbot: QtBot, found: EmulationView, loaded: MainWindow
) -> None:
    assert found.honest.isVisible()
    assert "not bit-exact" in found.honest.text()
    loaded.resize(loaded.minimumSize())
    QApplication.processEvents()
    assert found.honest.width() <= found.width()
    assert found.honest.toolTip() in ("", found.honest.text())
    found.torch.operators = 300
    found.torch.retranslate()
    QApplication.processEvents()
    assert found.torch.x() >= found.honest.geometry().right()
    assert found.honest.toolTip() == found.honest.text()  # cut, so told whole
    qtbot.mouseClick(found.headline.otherwise, LEFT)
    assert not found.honest.isVisible()
    assert found.start.honest.isVisible()  # once is enough


def test_nothing_outside_is_said_calmly(page: EmulationView, loaded: MainWindow) -> None:
    page.state.show(emulations.calm())
    assert page.headline.sentence.startswith("All 3 replayed calls are what Ascend 910B")
    assert loaded.page_bar.button(Page.EMULATION).badge == ""
    assert not page.side.turn.isVisible()
    assert not page.headline.reasons
    assert not loaded.actions_registry["next_outside"].isEnabled()


# ---- results that hold an emulation


def result_at(path: Path, kept: bool) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    cell = gpt_result(layers=3, faulty_layer=1)
    with result_writer(path) as writer:
        writer.add_cell(cell)
        writer.finish(replace(result_info(cell), cells=(cell.key,)))
    if kept:
        add_emulation(path, emulations.emulation(emulations.mixed()))
    return path


def test_a_result_that_holds_an_emulation_shows_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    path = result_at(tmp_path / "with.h5", kept=True)
    assert holds_emulation(str(path))
    window.session.open_pair(str(path), "")
    patience(lambda: window.session.emulation.stage is Stage.READY)
    assert window.pages.page is Page.COMPARE
    assert window.page_bar.button(Page.EMULATION).badge == "1"
    window.actions_registry["page_emulation"].trigger()
    assert window.pages.emulation is not None
    assert "4 of 5 replayed calls" in window.pages.emulation.headline.sentence
    without = result_at(tmp_path / "without.h5", kept=False)
    assert not holds_emulation(str(without))
    window.session.open_pair(str(without), "")
    patience(lambda: window.session.emulation.stage is Stage.NOTHING)
    assert window.page_bar.button(Page.EMULATION).badge == ""
    assert window.session.emulation.found is None


def test_only_results_of_the_window_itself_are_written_to(tmp_path: Path) -> None:
    assert is_our_own(str(default_directory() / "results" / "a.h5"))
    assert not is_our_own(str(tmp_path / "a.h5"))
    before = emulations.emulation(emulations.mixed())
    other = CellKey("", 1, 0)
    after = emulations.emulation(emulations.mixed(other))
    both = joined(before, after)
    assert [call.cell for call in both.calls] == [emulations.CELL] * 8 + [other] * 8
    assert joined(replace(before, profile="950"), after) is after
    assert len(joined(before, before).calls) == 8


def test_a_result_of_the_users_own_is_left_alone(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    path = result_at(tmp_path / "mine.h5", kept=False)
    before = path.read_bytes()
    window.session.open_pair(str(path), "")
    patience(lambda: window.session.cell is not None)
    window.actions_registry["page_emulation"].trigger()
    assert window.pages.emulation is not None
    qtbot.mouseClick(window.pages.emulation.start.setup.replay, LEFT)
    patience(lambda: window.session.emulation.stage is Stage.READY)  # there are no tensors: all say why not
    assert path.read_bytes() == before
    assert load_emulation(path) is None


# ---- torch, language, looks


def test_the_line_on_torch_says_what_it_would_add(page: EmulationView, patience: Patience) -> None:
    patience(lambda: page.state._session.pictures.idle)
    assert page.torch.isVisible() == (page.torch.operators > 0)
    if page.torch.operators:
        assert f"adds {page.torch.operators} operators" in page.torch.text()


def test_nothing_of_torch_is_imported_in_the_window() -> None:
    script = (
        "import sys; import gui.application, gui.views.emulation.view; "
        "sys.exit('torch' in sys.modules or 'core.emulation.engine' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


def catalogue_codes(words: Iterable[str]) -> list[str]:
    return [word for word in words if "emulation." in word]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_text_is_translated(found: EmulationView, loaded: MainWindow, language: str, mode: str) -> None:
    loaded._choose_language(language)
    theme: Theme = loaded.context.theme
    theme.set_mode(mode)
    try:
        assert not catalogue_codes(texts(found))
        assert not catalogue_codes(cells(found, "remark") + cells(found, "verdict"))
        for row in range(8):
            found.state.choose(row)
            assert not catalogue_codes(texts(found.side))
        found.side.tabs.setCurrentIndex(1)
        assert not catalogue_codes(texts(found.side))
        found._choose_anew()
        assert not catalogue_codes(texts(found))
        assert not found.grab().isNull()
        if language == "zh_CN":
            assert loaded.page_bar.button(Page.EMULATION).text() == "仿真"
            assert found.start.setup.replay.text() == "重放"
    finally:
        set_language("en")
