"""The tabs of the overflow page, and the ways of a training log to them, on the real window."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from builders import overflow_reports, rooms
from builders.rooms import megatron_log, network
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, QSettings, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.messages import LANGUAGES, set_language
from gui.main_window import MainWindow
from gui.opening import may_be_log, stands_alone
from gui.pages.bar import OverflowTab, Page
from gui.pages.overflow import OverflowPage
from gui.processes.work_state import Stage
from gui.settings import Settings, SettingsFile

LEFT = Qt.MouseButton.LeftButton
CONTROL_ALT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
BAD = (100, 201, 302, 403, 504, 605, 706, 807)
Patience = Callable[..., None]


def page_of(window: MainWindow) -> OverflowPage:
    assert window.pages.overflow is not None
    return window.pages.overflow


def click_tab(qtbot: QtBot, page: OverflowPage, tab: OverflowTab) -> None:
    at = list(OverflowTab).index(tab)
    qtbot.mouseClick(page.tabs, LEFT, pos=page.tabs.tabRect(at).center())


def drop(window: MainWindow, *paths: Path, x: int = 10) -> None:
    """Drag *paths* over the window and let go."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(x, 200), copy, data, LEFT, none))
    assert window.overlay.isVisible()
    assert not window.overlay.grab().isNull()
    QApplication.sendEvent(window, QDropEvent(QPointF(x, 200), copy, data, LEFT, none))


def is_read(window: MainWindow, path: Path) -> bool:
    """Whether the log at *path* is on show, read and judged."""
    page = window.pages.overflow
    training = page.training if page is not None else None
    return (
        training is not None
        and training.isVisible()
        and training.state.stage is Stage.READY
        and training.state.path == str(path)
    )


def bring(window: MainWindow, log: Path, patience: Patience) -> None:
    """Drop *log* while its tab is on show, or go there once its curves are."""
    drop(window, log)
    if window.pages.tab is not OverflowTab.TRAINING:
        patience(lambda: window.pages.page is Page.CURVES and window.session.curves.readable)
        window.actions_registry["tab_training"].trigger()
    patience(lambda: is_read(window, log))


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log of a thousand steps, eight of them overflowed."""
    return megatron_log(tmp_path / "train.log", bad=BAD)


@pytest.fixture
def answered(loaded: MainWindow) -> OverflowPage:
    """Return the page of a window with a comparison and births in it."""
    loaded.session.overflow.show_report(overflow_reports.training())
    loaded.actions_registry["page_overflow"].trigger()
    QApplication.processEvents()
    return page_of(loaded)


# ---- tabs


def test_each_tab_is_made_when_it_is_first_wanted(
    qtbot: QtBot, loaded: MainWindow, answered: OverflowPage
) -> None:
    assert [answered.tabs.tabText(at) for at in range(3)] == ["Births  4", "Headroom", "Training"]
    assert answered.births is not None
    assert answered.births.isVisible()
    assert answered.headroom is None
    assert answered.training is None
    click_tab(qtbot, answered, OverflowTab.HEADROOM)
    assert answered.headroom is not None
    assert answered.headroom.isVisible()
    assert not answered.births.isVisible()
    assert answered.training is None
    qtbot.keyClick(loaded, Qt.Key.Key_3, CONTROL_ALT)
    assert answered.training is not None
    assert answered.training.start.open.hasFocus()
    made = answered.headroom
    qtbot.keyClick(loaded, Qt.Key.Key_2, CONTROL_ALT)
    assert answered.headroom is made
    answered.tabs.setFocus()
    qtbot.keyClick(answered.tabs, Qt.Key.Key_Left)
    assert answered.births.isVisible()


def test_keys_lead_to_a_tab_from_the_comparison_too(qtbot: QtBot, loaded: MainWindow) -> None:
    assert loaded.pages.page is Page.COMPARE
    assert loaded.pages.tab is None
    qtbot.keyClick(loaded, Qt.Key.Key_3, CONTROL_ALT)
    assert loaded.pages.page is Page.OVERFLOW
    assert loaded.pages.tab is OverflowTab.TRAINING
    assert page_of(loaded).births is None


def test_tabs_are_commands_of_the_menu_and_have_names(loaded: MainWindow, answered: OverflowPage) -> None:
    from PySide6.QtWidgets import QMenu

    menus: list[QMenu] = []

    def add(title: str) -> QMenu:
        menus.append(QMenu(title, loaded))
        return menus[-1]

    loaded.actions_registry.fill_menus(add, [])
    go = next(menu for menu in menus if menu.title() == "Go")
    listed = [action.text() for action in go.actions()]
    assert {"Overflow: births", "Overflow: headroom", "Overflow: training log"} <= set(listed)
    assert answered.tabs.accessibleName() == "Parts of the overflow page"
    assert answered.tabs.tabToolTip(1) == "How near the values are to fp16's limits  Ctrl+Alt+2"


def test_nothing_leads_to_a_tab_while_nothing_is_open(qtbot: QtBot, window: MainWindow) -> None:
    for tab in OverflowTab:
        assert not window.actions_registry[f"tab_{tab.value}"].isEnabled()
        window.pages.show_tab(tab)
    assert window.pages.page is None


def test_the_chosen_tab_is_kept_and_a_brought_log_is_no_choice(
    qtbot: QtBot, loaded: MainWindow, answered: OverflowPage, log: Path, patience: Patience
) -> None:
    settings = loaded.context.settings
    click_tab(qtbot, answered, OverflowTab.HEADROOM)
    assert settings.overflow_tab == "headroom"
    answered.open_log(str(log))
    patience(lambda: is_read(loaded, log))
    assert answered.tab is OverflowTab.TRAINING
    assert settings.overflow_tab == "headroom"
    assert OverflowPage(loaded.context).tab is OverflowTab.HEADROOM


def test_tabs_and_sizes_of_other_kinds_are_not_loaded(tmp_path: Path) -> None:
    def saved_and_loaded(settings: Settings) -> Settings:
        path = str(tmp_path / "a.ini")
        SettingsFile(QSettings(path, QSettings.Format.IniFormat)).save(settings)
        return SettingsFile(QSettings(path, QSettings.Format.IniFormat)).load()

    good = saved_and_loaded(
        Settings(overflow_tab="training", headroom_sizes=[300, 200], training_sizes=[250])
    )
    assert (good.overflow_tab, good.headroom_sizes, good.training_sizes) == ("training", [300, 200], [250])
    bad = saved_and_loaded(Settings(overflow_tab="sparks", headroom_sizes=[300], training_sizes=[-4]))
    assert (bad.overflow_tab, bad.headroom_sizes, bad.training_sizes) == ("births", [], [])


# ---- commands by tab


def test_f8_goes_back_to_the_birth_that_was_looked_at_then_on(
    qtbot: QtBot, loaded: MainWindow, answered: OverflowPage
) -> None:
    choice = loaded.session.overflow.choice
    qtbot.keyClick(loaded, Qt.Key.Key_F8)
    before = choice.birth
    assert loaded.top._next.text() == "Next birth  F8"
    for tab in (OverflowTab.HEADROOM, OverflowTab.TRAINING):
        click_tab(qtbot, answered, tab)
        assert loaded.top._next.text() == "Births  F8"
        qtbot.keyClick(loaded, Qt.Key.Key_F8)
        assert answered.tab is OverflowTab.BIRTHS
        assert choice.birth is before
    assert answered.births is not None
    assert answered.births.births.tree.hasFocus()
    qtbot.keyClick(loaded, Qt.Key.Key_F8)
    assert choice.birth is not before


def test_commands_mean_the_tab_on_show(qtbot: QtBot, loaded: MainWindow, answered: OverflowPage) -> None:
    actions = loaded.actions_registry
    assert actions["export"].isEnabled()
    click_tab(qtbot, answered, OverflowTab.TRAINING)
    assert not actions["export"].isEnabled()
    assert actions["copy"].isEnabled()
    loaded.actions_registry["page_compare"].trigger()
    assert actions["export"].isEnabled()


def test_copying_takes_from_the_tab_on_show(
    qtbot: QtBot, loaded: MainWindow, answered: OverflowPage, log: Path, patience: Patience
) -> None:
    click_tab(qtbot, answered, OverflowTab.TRAINING)
    bring(loaded, log, patience)
    answered.tabs.setFocus()
    loaded.actions_registry["copy"].trigger()
    assert QGuiApplication.clipboard().text().startswith(f"{log}\nfailed: 0.800")


def test_what_a_tab_works_at_is_stopped_by_the_key(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    window.session.open_pair(str(network(tmp_path / "run", tensors=True)), "")
    patience(lambda: window.session.overflow.stage is Stage.READY)
    window.actions_registry["tab_births"].trigger()
    assert not window.actions_registry["cancel"].isEnabled()
    page = page_of(window)
    page.view_of(OverflowTab.HEADROOM).state.work = rooms.endless_room
    window.actions_registry["tab_headroom"].trigger()
    assert page.headroom is not None
    assert page.headroom.state.stage is Stage.WORKING
    assert window.actions_registry["cancel"].isEnabled()
    window.actions_registry["cancel"].trigger()
    assert page.headroom.state.stage is Stage.STOPPED
    assert window.session.overflow.stage is Stage.READY
    assert not window.actions_registry["cancel"].isEnabled()


def test_a_running_search_for_births_goes_on_behind_another_tab(
    qtbot: QtBot, loaded: MainWindow, answered: OverflowPage
) -> None:
    loaded.session.overflow.stage = Stage.WORKING
    click_tab(qtbot, answered, OverflowTab.TRAINING)
    loaded.actions_registry["cancel"].trigger()
    assert loaded.session.overflow.stage is Stage.WORKING


# ---- headroom in the window


def test_a_run_without_births_and_without_golden_has_headroom(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    window.session.open_paths([str(network(tmp_path / "run", tensors=True))])
    patience(lambda: window.session.overflow.stage is Stage.READY)
    assert window.session.is_exploring()
    window.session.overflow.show_report(overflow_reports.clean())
    qtbot.keyClick(
        window, Qt.Key.Key_2, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    )
    page = page_of(window)
    assert page.births is not None
    assert page.births.calm.isVisible()
    assert page.tabs.tabText(0) == "Births"
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL_ALT)
    assert page.headroom is not None
    patience(lambda: page.headroom is not None and page.headroom.state.stage is Stage.READY)
    assert not page.births.calm.isVisible()
    assert page.headroom.slots.table.isVisible()
    assert page.headroom.slots.table.hasFocus()  # it was at the button that stops measuring
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL_ALT)
    assert page.training is not None
    assert page.training.start.isVisible()


def test_a_slot_of_the_headroom_is_shown_in_the_comparison(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    window.session.open_paths([str(network(tmp_path / "run", tensors=True))])
    patience(lambda: window.session.overflow.stage is Stage.READY)
    window.actions_registry["tab_headroom"].trigger()
    headroom = page_of(window).headroom
    assert headroom is not None
    patience(lambda: headroom.state.stage is Stage.READY)
    table = headroom.slots.table
    table.selectRow(2)
    name = str(headroom.slots.model.index(2, 0).data())
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.pages.page is Page.COMPARE
    session = window.session
    assert session.facts is not None
    assert session.facts.operators[int(session.facts.operator[session.row])] == name
    window.actions_registry["page_overflow"].trigger()
    assert window.pages.tab is OverflowTab.HEADROOM


def test_the_room_is_shared_as_the_user_wants_it(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, log: Path, patience: Patience
) -> None:
    window.session.open_paths([str(network(tmp_path / "run", tensors=True))])
    patience(lambda: window.session.overflow.stage is Stage.READY)
    window.actions_registry["tab_headroom"].trigger()
    page, settings = page_of(window), window.context.settings
    headroom = page.headroom
    assert headroom is not None
    patience(lambda: headroom.state.stage is Stage.READY)
    QApplication.processEvents()
    side, upper = headroom.scale.width(), headroom._upper.height()
    headroom._upper.setSizes([headroom._upper.width() - side - 110, side + 100])
    headroom._upper.splitterMoved.emit(0, 0)  # as the mouse does
    assert settings.headroom_sizes == [headroom.scale.width(), upper]
    assert settings.headroom_sizes[0] > side
    page.open_log(str(log))
    patience(lambda: is_read(window, log))
    training = page.training
    assert training is not None
    QApplication.processEvents()
    findings = training.findings.width()
    training._lower.setSizes([training._lower.width() - findings - 70, findings + 60])
    training._lower.splitterMoved.emit(0, 0)
    assert settings.training_sizes == [training.findings.width()]
    window.actions_registry["reset_layout"].trigger()
    assert settings.headroom_sizes == settings.training_sizes == []
    assert training.findings.width() == pytest.approx(findings, abs=2)
    window.actions_registry["tab_headroom"].trigger()
    QApplication.processEvents()
    assert headroom.scale.width() == pytest.approx(side, abs=2)


# ---- logs that are brought


def test_a_log_is_all_that_is_needed(qtbot: QtBot, window: MainWindow, log: Path, patience: Patience) -> None:
    bring(window, log, patience)
    assert window.pages.page is Page.OVERFLOW
    assert window.page_bar.available() == [Page.CURVES, Page.OVERFLOW]
    assert window.page_bar.isVisible()
    assert window.windowTitle() == "train.log — ulpscope"
    page = page_of(window)
    assert page.births is None
    assert page.training is not None
    assert page.training.headline.words[0] == "failed"
    assert page.training.plot.canvas.hasFocus()
    # the other tabs say what they miss
    click_tab(qtbot, page, OverflowTab.BIRTHS)
    assert page.births is not None
    assert page.births.waiting.sentences == (
        "Nothing is open",
        "Drop a dump folder on the window, or two to compare them.",
    )
    click_tab(qtbot, page, OverflowTab.HEADROOM)
    assert page.headroom is not None
    assert page.headroom.note.sentences[0] == "Nothing is open that could be measured."
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL_ALT)
    assert is_read(window, log)


@pytest.mark.parametrize("x", [10, 1600])
def test_a_log_dropped_beside_a_pair_replaces_neither_side(
    qtbot: QtBot, loaded: MainWindow, log: Path, patience: Patience, x: int
) -> None:
    before = loaded.session.cell
    loaded.actions_registry["tab_training"].trigger()
    drop(loaded, log, x=x)
    patience(lambda: is_read(loaded, log))
    assert loaded.session.cell is before
    assert not loaded.session.busy
    assert loaded.session.opening == ("/data/runs/npu_dump", "/data/runs/gpu_dump")
    assert loaded.page_bar.available() == list(Page)


def test_a_log_is_opened_from_the_menu(
    qtbot: QtBot, window: MainWindow, log: Path, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(log), ""))
    window.actions_registry["open_file"].trigger()
    patience(lambda: window.session.curves.readable)
    assert window.pages.page is Page.CURVES
    assert [run.path for run in window.session.curves.runs] == [str(log)]


def test_a_log_is_given_on_the_command_line(
    window: MainWindow, log: Path, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(log.parent)
    window.start(["train.log"])
    patience(lambda: window.session.curves.readable)
    assert [run.path for run in window.session.curves.runs] == [str(log)]


def test_a_state_of_the_trainer_is_a_log_as_well(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    history = [{"step": step, "loss": 2.0, "grad_norm": 1.0, "learning_rate": 1e-4} for step in range(1, 40)]
    path = tmp_path / "trainer_state.json"
    path.write_text(json.dumps({"global_step": 39, "log_history": history}), "utf-8")
    bring(window, path, patience)


def test_of_two_logs_the_target_s_overflow_is_looked_at(
    window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    golden, target = (megatron_log(tmp_path / f"{name}.log", bad=BAD) for name in ("gpu_train", "npu_train"))
    drop(window, golden, target)
    patience(lambda: window.session.curves.readable)
    window.actions_registry["tab_training"].trigger()
    patience(lambda: is_read(window, target))


def test_a_log_beside_a_run_opens_both(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, log: Path, patience: Patience
) -> None:
    run = network(tmp_path / "run", tensors=False)
    window.start([str(run), str(log)])
    patience(lambda: window.session.cell is not None)
    assert window.session.opening == (str(run), "")
    assert window.session.curves.runs[0].path == str(log)
    qtbot.keyClick(window, Qt.Key.Key_3, CONTROL_ALT)
    patience(lambda: is_read(window, log))


def test_what_is_no_log_is_refused_as_before(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, patience: Patience
) -> None:
    path = tmp_path / "shopping.txt"
    path.write_text("milk\nbread\n", "utf-8")
    with qtbot.waitSignal(window.session.noticed, timeout=60_000):
        drop(window, path)
    assert "shopping.txt" in window.notice.sentence
    assert window.pages.page is None
    assert window.session.arrivals.log == ""


def test_what_is_opened_later_is_what_counts(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, log: Path, patience: Patience
) -> None:
    run = network(tmp_path / "run", tensors=False)
    window.session.open_paths([str(log)])
    window.session.open_paths([str(run)])
    patience(lambda: window.session.overflow.stage is Stage.READY)
    patience(lambda: window.session.tasks.idle)
    assert window.pages.page is Page.COMPARE
    assert window.session.arrivals.log == ""
    assert window.pages.overflow is None


def test_dumps_and_results_are_not_looked_into(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = network(tmp_path / "run", tensors=False)
    result, answer = tmp_path / "result.h5", tmp_path / "anomaly_analyze_1.json"
    for file in (result, answer):
        file.write_bytes(b"{}")
    dumps = [
        file for file in run.rglob("*.json") if file.name in ("dump.json", "stack.json", "construct.json")
    ]
    assert dumps
    for path in (run, result, answer, *dumps, tmp_path / "missing.log"):
        assert not may_be_log(str(path)), path
    assert not stands_alone(str(run))
    assert not stands_alone(str(dumps[0]))
    assert stands_alone(str(result))
    assert stands_alone(str(answer))
    started: list[object] = []
    monkeypatch.setattr(window.session, "_start", lambda *call: started.append(call[:2]))
    window.session.open_paths([str(run)])
    assert started == [(str(run), "")]  # at once, before any event


def test_f5_reads_the_log_on_show_again(
    qtbot: QtBot, window: MainWindow, log: Path, patience: Patience
) -> None:
    bring(window, log, patience)
    assert window.actions_registry["rerun"].isEnabled()
    megatron_log(log, bad=())
    qtbot.keyClick(window, Qt.Key.Key_F5)
    training = page_of(window).training
    assert training is not None
    assert training.state.stage is Stage.WORKING
    patience(lambda: is_read(window, log))
    assert training.headline.words[0] != "failed"


def test_the_official_answer_leads_to_the_births(
    qtbot: QtBot, loaded: MainWindow, answered: OverflowPage, tmp_path: Path
) -> None:
    click_tab(qtbot, answered, OverflowTab.HEADROOM)
    path = tmp_path / "anomaly_analyze_1700000000.json"
    statistics = dict.fromkeys(("Max", "Min", "Mean", "Norm"), float("nan"))
    nan = {"type": "torch.Tensor", "dtype": "torch.float32", "shape": [2], **statistics}
    accused = {
        "op_name": "Functional.gelu.3.forward", "construct_info": [], "stack_info": [],
        "data_info": {"input_args": [], "input_kwargs": {}, "output": [nan]},
    }  # fmt: skip
    path.write_text(json.dumps({"rank_0": [accused]}), "utf-8")
    with qtbot.waitSignal(loaded.session.overflow.official_opened, timeout=60_000):
        drop(loaded, path)
    assert answered.tab is OverflowTab.BIRTHS
    assert answered.births is not None
    assert answered.births.official.isVisible()


# ---- looks


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("size", [(860, 560), (1280, 800), (1680, 1050)])
def test_tabs_are_whole_in_every_language(
    loaded: MainWindow, answered: OverflowPage, language: str, size: tuple[int, int]
) -> None:
    set_language(language)
    QApplication.sendEvent(loaded, QEvent(QEvent.Type.LanguageChange))
    loaded.resize(*size)
    names = {"en": "Births  4", "zh_CN": "产生点  4"}
    assert answered.tabs.tabText(0) == names[language]
    for tab in OverflowTab:
        loaded.actions_registry[f"tab_{tab.value}"].trigger()
        QApplication.processEvents()
        at = list(OverflowTab).index(tab)
        rect, words = answered.tabs.tabRect(at), answered.tabs.tabText(at)
        assert answered.tabs.fontMetrics().horizontalAdvance(words) <= rect.width() - 20
        assert rect.right() < answered.width()
        assert "gui." not in words + answered.tabs.tabToolTip(at)
        assert not loaded.grab().isNull()
    set_language("en")
