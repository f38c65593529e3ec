"""The training view as a person uses it: drop a log, read the judgement, edit limits, walk through steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from builders.rooms import megatron_log, network
from builders.window_work import endless, failing
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from core.formats.logs.nearby import logs_near
from core.messages import LANGUAGES, set_language
from core.overflow.training.history import judged_by, overflow_history
from core.overflow.training.limits import OverflowLimits, limits_from, shipped_limits
from core.progress import Work, run_to_end
from core.records.training import Judgement, TrainingOverflow
from gui.main_window import MainWindow
from gui.models.pair.categories import Category
from gui.models.training.plot import round_ticks, scale_plot, stairs
from gui.processes.work_state import Stage
from gui.settings import Settings
from gui.views.training.painter import overflow_places
from gui.views.training.view import TrainingView, is_droppable

LEFT = Qt.MouseButton.LeftButton
BAD = (100, 201, 302, 403, 504, 605, 706, 807)


def view_in(window: MainWindow, qtbot: QtBot) -> TrainingView:
    made = TrainingView(window.context)
    made.resize(1400, 520)
    made.show()
    qtbot.waitExposed(made)
    return made


@pytest.fixture
def view(window: MainWindow, qtbot: QtBot) -> Iterator[TrainingView]:
    made = view_in(window, qtbot)
    yield made
    made.close()
    made.deleteLater()


@pytest.fixture
def judged(view: TrainingView, tmp_path: Path) -> TrainingView:
    """Return the view with a log of a thousand steps, eight of them overflowed."""
    view.state.show_history(overflow_history(str(megatron_log(tmp_path / "a.log", bad=BAD))))
    QApplication.processEvents()
    return view


def drop(view: TrainingView, path: Path) -> bool:
    """Drag *path* over the view and drop it there; returns whether the view took it."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(50, 50), copy, data, LEFT, none)
    enter.ignore()
    QApplication.sendEvent(view, enter)
    if not enter.isAccepted():
        return False
    QApplication.sendEvent(view, QDropEvent(QPointF(50, 50), copy, data, LEFT, none))
    return True


# ---- the way to a log


def test_a_dropped_log_is_read_in_a_worker(
    view: TrainingView, tmp_path: Path, patience: Callable[..., None]
) -> None:
    assert view.start.isVisible()
    assert drop(view, megatron_log(tmp_path / "train.log", bad=BAD))
    assert view.note.isVisible()
    patience(lambda: view.state.stage is Stage.READY)
    assert view.headline.isVisible()
    word, why = view.headline.words
    assert word == "failed"
    assert why.startswith("0.800\u202f% of the steps overflowed (8 of 1\u202f000); the limit is 0.5\u202f%")
    assert view.findings.tabs.tabText(1) == "Overflowed steps  8"


def test_runs_and_results_are_left_to_the_window(view: TrainingView, tmp_path: Path) -> None:
    run = network(tmp_path / "run", tensors=False)
    result = tmp_path / "result.h5"
    result.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(600))
    assert not drop(view, run)
    assert not is_droppable([str(result)])
    assert not is_droppable([])
    assert view.state.stage is Stage.NOTHING


def test_the_button_asks_for_a_file(
    view: TrainingView,
    qtbot: QtBot,
    tmp_path: Path,
    patience: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = megatron_log(tmp_path / "train.log", bad=())
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: (str(path), ""))
    qtbot.mouseClick(view.start.open, LEFT)
    patience(lambda: view.state.stage is Stage.READY)
    assert view.headline.words[0] == "passed"
    assert not view.findings.tabs.isTabVisible(1)
    assert view.headline._mark.category is Category.EQUAL


def test_logs_beside_the_dump_are_offered_and_a_click_reads_one(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, patience: Callable[..., None]
) -> None:
    run = network(tmp_path / "job" / "dump", tensors=False)
    beside = megatron_log(tmp_path / "job" / "train.log", bad=BAD)
    megatron_log(tmp_path / "above.log")
    (tmp_path / "job" / "notes.txt").write_text("nothing about steps")
    window.session.open_pair(str(run), "")
    patience(lambda: window.session.cell is not None)
    view = view_in(window, qtbot)
    patience(lambda: bool(view.state.logs))
    rows = [row for row in view.start.rows if not row.isHidden()]
    assert [row.path for row in rows] == [str(beside)]
    rows[0].setFocus()
    qtbot.keyClick(rows[0], Qt.Key.Key_Return)
    patience(lambda: view.state.stage is Stage.READY)
    assert view.headline.logs.currentText() == "job/train.log"
    # another pair: what lay beside this one goes, with its log
    other = network(tmp_path / "other" / "dump", tensors=False)
    window.session.open_pair(str(other), "")
    patience(lambda: window.session.target_path == str(other))
    assert view.state.stage is Stage.NOTHING
    assert view.state.logs == []
    patience(lambda: view.state._search is None)
    view.close()
    view.deleteLater()


def test_logs_are_looked_for_one_level_up_and_no_further(tmp_path: Path) -> None:
    run = network(tmp_path / "a" / "b" / "run", tensors=False)
    inside = megatron_log(run / "inside.out")
    beside = megatron_log(tmp_path / "a" / "b" / "beside.log")
    megatron_log(tmp_path / "a" / "too_far.log")
    (tmp_path / "a" / "b" / "empty.log").touch()
    found = run_to_end(logs_near([str(run), "", str(tmp_path / "gone" / "run")]))
    assert sorted(found) == sorted([str(inside), str(beside)])


def test_what_is_no_log_is_refused_with_a_reason(
    view: TrainingView, qtbot: QtBot, tmp_path: Path, patience: Callable[..., None]
) -> None:
    path = tmp_path / "words.txt"
    path.write_text("nothing that a trainer writes\n")
    view.open_log(str(path))
    patience(lambda: view.state.stage is Stage.FAILED)
    assert "words.txt" in view.note.sentences[1]
    qtbot.mouseClick(view.note.button, LEFT)
    assert view.start.isVisible()


def endless_log(_path: str, _limits: OverflowLimits) -> Work[TrainingOverflow]:
    yield from endless()
    raise AssertionError


def broken_log(_path: str, _limits: OverflowLimits) -> Work[TrainingOverflow]:
    yield from failing()
    raise AssertionError


def test_reading_can_be_stopped_and_a_crash_is_told(
    view: TrainingView, qtbot: QtBot, patience: Callable[..., None]
) -> None:
    view.state.work = endless_log
    view.open_log("/no/such.log")
    assert view.state.stage is Stage.WORKING
    qtbot.mouseClick(view.note.progress.cancel, LEFT)
    assert view.state.stage is Stage.STOPPED
    view.state.work = broken_log
    view.open_log("/no/such.log")
    patience(lambda: view.state.stage is Stage.FAILED)
    assert view.note.copy_details.isVisible()
    assert "planted" in view.state.details


# ---- limits


def test_limits_are_edited_in_place_and_judge_at_once(judged: TrainingView, window: MainWindow) -> None:
    limits = judged.headline.limits
    assert (limits.limit.text(), limits.batch.value()) == ("0.5\u202f%", 1024)
    assert not limits.reset.isVisible()
    limits.limit.setValue(1.0)
    assert judged.headline.words[0] == "passed"
    assert judged.state.history is not None
    assert judged.state.history.limit == 0.01
    assert any("below 1.00%" in sentence for sentence in judged.findings.sentences)
    assert window.context.settings.overflow_limits == {"limit": 0.01}
    limits.batch.setValue(64)  # the log's own: now the tighter limit holds
    assert judged.headline.words[0] == "failed"
    assert "0.1\u202f%" in judged.headline.words[1]
    limits.large_limit.setValue(2.0)
    assert judged.headline.words[0] == "passed"
    limits.reset.click()
    assert judged.headline.words[0] == "failed"
    assert window.context.settings.overflow_limits == {}
    assert (limits.limit.value(), limits.batch.value(), limits.large_limit.value()) == (0.5, 1024, 0.1)


def test_remembered_limits_are_in_force(window: MainWindow, qtbot: QtBot) -> None:
    window.context.settings.overflow_limits = {"limit": 0.02, "growth_interval": 5.0, "nonsense": 3.0}
    view = view_in(window, qtbot)
    assert view.state.limits == limits_from({"training": {"limit": 0.02}})
    assert view.headline.limits.limit.value() == 2.0
    assert view.headline.limits.reset.isVisibleTo(view.headline.limits)
    view.close()
    view.deleteLater()


def test_judging_anew_is_the_same_as_reading_anew(tmp_path: Path) -> None:
    for batch in (64, 2048):
        path = str(megatron_log(tmp_path / f"{batch}.log", bad=BAD, batch=batch))
        for said in ({"limit": 0.05}, {"large_batch": 10.0}, {"large_batch_limit": 0.5}):
            limits = limits_from({"training": said})
            anew, again = overflow_history(path, limits), judged_by(overflow_history(path), limits)
            assert (anew.limit, anew.judgement) == (again.limit, again.judgement)
            assert anew.findings == again.findings


def test_what_was_not_judged_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("Gradient overflow. Skipping step, loss scaler 0 reducing loss scale to 32768.0\n")
    history = overflow_history(str(path))
    assert judged_by(history, shipped_limits()).judgement is Judgement.NOT_JUDGED


# ---- plot, findings, steps


def test_findings_lead_to_their_step(view: TrainingView, qtbot: QtBot, tmp_path: Path) -> None:
    bad = [500, 510, 520, 530, 540, 550]
    view.state.show_history(overflow_history(str(megatron_log(tmp_path / "a.log", steps=2000, bad=bad))))
    rows = [row for row in view.findings.rows if not row.isHidden()]
    assert rows[0].mark.category is Category.INTRODUCED
    assert rows[0].accessibleName().startswith("fault: The loss scale collapses: from step 500")
    rows[0].setFocus()
    qtbot.keyClick(rows[0], Qt.Key.Key_Return)
    assert view.state.step == 500
    axis = view.plot.canvas.axis
    assert axis.left < 499 < axis.right
    assert axis.span <= 200
    assert "loss scale 32\u202f768" in view.plot.header.subtitle
    assert "overflowed" in view.plot.header.subtitle


def test_steps_are_walked_by_key_by_list_and_by_click(judged: TrainingView, qtbot: QtBot) -> None:
    canvas, table = judged.plot.canvas, judged.findings.table
    canvas.setFocus()
    for step in BAD[:3]:
        qtbot.keyClick(canvas, Qt.Key.Key_Right)
        assert judged.state.step == step
    assert table.currentIndex().row() == 2
    qtbot.keyClick(canvas, Qt.Key.Key_Left)
    assert judged.state.step == BAD[1]
    judged.findings.tabs.setCurrentIndex(1)
    table.selectRow(5)
    assert judged.state.step == BAD[5]
    where = QPoint(round(canvas.scene.x(BAD[7])) + 2, round(canvas.scene.box.center().y()))
    qtbot.mouseClick(canvas, LEFT, pos=where)  # near an overflowed step is that step
    assert judged.state.step == BAD[7]
    assert judged.copied_text().split("\n")[1].split("\t")[0] == str(BAD[7])


def test_editing_a_limit_leaves_what_is_in_sight(judged: TrainingView, qtbot: QtBot) -> None:
    canvas = judged.plot.canvas
    canvas.go_to(302)
    judged.state.choose_step(302)
    before = canvas.axis.left, canvas.axis.right
    judged.headline.limits.limit.setValue(3.0)
    assert (canvas.axis.left, canvas.axis.right) == before
    assert judged.state.step == 302
    qtbot.mouseDClick(canvas, LEFT, pos=canvas.scene.box.center().toPoint())
    assert canvas.axis.span == 1000


def long_history(tmp_path: Path, scales: np.ndarray, bad: list[int]) -> TrainingOverflow:
    from dataclasses import replace

    short = overflow_history(str(megatron_log(tmp_path / "a.log", steps=100, bad=(50,))))
    return replace(
        short, steps=len(scales), scale_steps=np.arange(1, len(scales) + 1), scales=scales.astype(float),
        overflow_steps=np.array(bad, np.int64), overflow_counts=np.ones(len(bad), np.int64),
    )  # fmt: skip


def test_nothing_is_lost_of_a_long_training(view: TrainingView, tmp_path: Path) -> None:
    count = 200_000
    scales = np.full(count, 2.0**16)
    scales[77_777], scales[123_456] = 2.0**3, 2.0**20  # one step each
    bad = [10, 11, 77_778, 199_999]
    history = long_history(tmp_path, scales, bad)
    x, y = stairs(scale_plot(history), 1, count, 900)
    assert len(x) == len(y) < 6 * 900
    assert (y.min(), y.max()) == (3.0, 20.0)
    assert (np.diff(x) >= 0).all()
    view.state.show_history(history)
    places = overflow_places(view.plot.canvas.scene)
    for step in bad:
        assert min(abs(view.plot.canvas.scene.x(step) - place) for place in places) <= 1.0
    assert not view.plot.grab().isNull()


def test_a_short_line_has_exact_corners(tmp_path: Path) -> None:
    plot = scale_plot(long_history(tmp_path, np.array([8.0, 8.0, 4.0, 16.0]), [3]))
    x, y = stairs(plot, 0.5, 4.5, 500)
    assert list(zip(x.tolist(), y.tolist())) == [
        (1, 3), (2, 3), (2, 3), (3, 3), (3, 2), (4, 2), (4, 4), (4.5, 4)
    ]  # fmt: skip
    assert (plot.scale_at(3), plot.count_at(3), plot.count_at(2)) == (4.0, 1, 0)
    assert plot.neighbour(None, forward=True) == 3
    assert plot.neighbour(3, forward=True) is None


def test_a_scale_of_zero_has_a_lane_of_its_own(view: TrainingView, tmp_path: Path) -> None:
    history = long_history(tmp_path, np.array([2.0, 1.0, 0.0, 0.0]), [3])
    plot = scale_plot(history)
    assert plot.zero < 0
    assert plot.scale_at(4) == 0.0
    view.state.show_history(history)
    assert not view.grab().isNull()


@pytest.mark.parametrize(("low", "high"), [(1, 9), (1, 2000), (50_001, 50_300), (1, 10_000_000), (3, 3.2)])
def test_ticks_are_round_and_few(low: float, high: float) -> None:
    ticks = round_ticks(low, high, 10)
    assert len(ticks) <= 11
    assert all(low <= tick <= high for tick in ticks)
    assert ticks == sorted(set(ticks))


def test_a_log_without_scales_still_shows_its_overflows(view: TrainingView, tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text(
        "\n".join(
            f" iteration {step:8}/ 200 | grad norm: {'nan' if step == 120 else '1.0'} |"
            f" number of skipped iterations: {int(step == 120)} | number of nan iterations: 0 |"
            for step in range(1, 201)
        )
    )
    view.state.show_history(overflow_history(str(path)))
    plot = view.plot.plot
    assert plot is not None
    assert (plot.first, plot.last) == (1, 200)
    assert overflow_places(view.plot.canvas.scene) == [pytest.approx(view.plot.canvas.scene.x(120), abs=1)]
    assert not view.grab().isNull()


def test_words_are_there_in_both_languages_and_schemes(judged: TrainingView, window: MainWindow) -> None:
    words = {"en": "failed", "zh_CN": "不通过"}
    for language in LANGUAGES:
        set_language(language)
        QApplication.sendEvent(judged, QEvent(QEvent.Type.LanguageChange))
        for mode in ("dark", "light"):
            window.context.theme.set_mode(mode)
            QApplication.processEvents()
            assert not judged.grab().isNull()
        assert judged.headline.words[0] == words[language]
        assert "gui." not in judged.plot.header.subtitle
        assert judged.headline.limits.limit.accessibleName()
    set_language("en")


def test_limits_of_other_kinds_are_not_loaded(tmp_path: Path) -> None:
    from PySide6.QtCore import QSettings

    from gui.settings import SettingsFile

    path = str(tmp_path / "a.ini")
    SettingsFile(QSettings(path, QSettings.Format.IniFormat)).save(Settings(overflow_limits={"limit": -1.0}))
    assert SettingsFile(QSettings(path, QSettings.Format.IniFormat)).load().overflow_limits == {}
    SettingsFile(QSettings(path, QSettings.Format.IniFormat)).save(Settings(overflow_limits={"limit": 0.01}))
    assert SettingsFile(QSettings(path, QSettings.Format.IniFormat)).load().overflow_limits == {"limit": 0.01}
