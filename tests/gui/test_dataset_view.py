"""The tab with the data sets: lists are made, compared, filtered and written."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog

from core.messages import LANGUAGES, set_language, text
from core.progress import Progress, Work
from core.records.evidence import EvidenceKind
from core.records.precheck import EvidenceSummary, PrecheckReport
from gui.dataset.work import Written
from gui.main_window import MainWindow
from gui.models.dataset.rows import Fault
from gui.pages.bar import PrecheckTab
from gui.precheck.sides import Side
from gui.processes.work_state import Stage
from gui.views.dataset.view import DatasetView

Patience = Callable[[Callable[[], bool]], None]
LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def view(window: MainWindow) -> DatasetView:
    window.actions_registry["page_precheck"].trigger()
    page = window.pages.precheck
    assert page is not None
    page.choose(PrecheckTab.DATASET)
    QApplication.processEvents()
    assert page.dataset is not None
    return page.dataset


@pytest.fixture
def folders(tmp_path: Path) -> dict[Side, Path]:
    """Return a folder a side: one file is missing, one has other contents, one is extra."""
    made = {}
    for side, files in (
        (Side.TARGET, {"a/1.bin": "one", "a/2.bin": "2wo", "new.bin": "x"}),
        (Side.GOLDEN, {"a/1.bin": "one", "a/2.bin": "two", "b/3.bin": "three"}),
    ):
        made[side] = tmp_path / f"{side.value}_data"
        for name, content in files.items():
            place = made[side] / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(content)
    return made


def type_into(view: DatasetView, side: Side, path: Path | str) -> None:
    field = view.sides[side].field.field
    field.setFocus()
    field.clear()
    QTest.keyClicks(field, str(path))


def lists(tmp_path: Path, **lines: list[str]) -> dict[Side, str]:
    made = {}
    for name, content in lines.items():
        place = tmp_path / f"{name}.md5"
        place.write_text("\n".join(content) + "\n")
        made[Side(name)] = str(place)
    return made


def line(content: str, name: str) -> str:
    return f"{hashlib.md5(content.encode()).hexdigest()}  {name}"


def compare(view: DatasetView, paths: dict[Side, str], patience: Patience) -> None:
    for side, path in paths.items():
        type_into(view, side, path)
    QTest.keyClick(view.sides[Side.GOLDEN].field.field, Qt.Key.Key_Return)
    patience(lambda: view.state.stage is not Stage.WORKING)
    QApplication.processEvents()


def listed(view: DatasetView) -> list[tuple[str, ...]]:
    return view.rows.listed()[1]


def test_it_starts_with_two_fields_and_says_what_to_bring(view: DatasetView) -> None:
    assert view.hint.isVisible()
    assert not view.compare.isEnabled()
    assert not any(card.take.isEnabled() for card in view.sides.values())
    assert view.copied_text() == ""


def test_checksums_of_folders_are_taken_and_compared(
    view: DatasetView,
    folders: dict[Side, Path],
    tmp_path: Path,
    patience: Patience,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for side, folder in folders.items():
        output = tmp_path / f"{side.value}.sha256"
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, output=output: (str(output), ""))
        type_into(view, side, folder)
        card = view.sides[side]
        card.algorithm.setCurrentText("sha256")
        assert card.take.isEnabled()
        QTest.mouseClick(card.take, LEFT)
        assert view.working
        patience(lambda card=card: card.making.stage is Stage.READY)
        digest = hashlib.sha256(b"one").hexdigest()
        assert f"{digest}  a/1.bin" in output.read_text().splitlines()
        assert view.state.paths[side] == (str(output),)
    patience(lambda: view.state.answer is not None)
    answer = view.state.answer
    assert answer is not None
    assert answer.counts == {Fault.MISSING: 1, Fault.EXTRA: 1, Fault.CHANGED: 1}
    assert {row[1] for row in listed(view)} == {"b/3.bin", "new.bin", "a/2.bin"}
    assert "sha256" in view.sides[Side.TARGET].facts.text()
    assert not list(tmp_path.glob("*.partial"))


def test_folders_are_compared_by_names_and_sizes(
    view: DatasetView, folders: dict[Side, Path], patience: Patience
) -> None:
    compare(view, {side: str(folder) for side, folder in folders.items()}, patience)
    answer = view.state.answer
    assert answer is not None
    assert answer.checked == 0
    assert answer.counts == {Fault.MISSING: 1, Fault.EXTRA: 1}


def test_kinds_and_words_filter_what_is_listed(view: DatasetView, tmp_path: Path, patience: Patience) -> None:
    names = [f"part-{number}.bin" for number in range(6)]
    paths = lists(
        tmp_path,
        target=[
            line("other" if number == 4 else name, name) for number, name in enumerate(names) if number != 2
        ],
        golden=[line(name, name) for name in names],
    )
    compare(view, paths, patience)
    chips = view.headline.chips
    assert [fault for fault, chip in chips.items() if chip.isVisible()] == [Fault.MISSING, Fault.CHANGED]
    QTest.mouseClick(chips[Fault.CHANGED], LEFT)
    assert [row[1] for row in listed(view)] == ["part-4.bin"]
    QTest.mouseClick(chips[Fault.MISSING], LEFT)
    assert not chips[Fault.CHANGED].isChecked()
    assert [row[1] for row in listed(view)] == ["part-2.bin"]
    QTest.keyClicks(view.rows.field, "nothing")
    assert listed(view) == []
    QTest.keyClick(view.rows.field, Qt.Key.Key_Escape)
    QTest.mouseClick(chips[Fault.MISSING], LEFT)
    assert len(listed(view)) == 2


def test_equal_lists_are_the_same_data(view: DatasetView, tmp_path: Path, patience: Patience) -> None:
    same = [line("a", "/data/a"), line("b", "/data/b")]
    compare(view, lists(tmp_path, target=same, golden=same), patience)
    answer = view.state.answer
    assert answer is not None
    assert answer.counts == {}
    assert answer.checked == 2
    assert listed(view) == []
    assert not view.rows.export.isEnabled()


def test_nodes_that_read_a_file_twice_are_listed(
    view: DatasetView, tmp_path: Path, patience: Patience
) -> None:
    target, golden = tmp_path / "target.json", tmp_path / "golden.json"
    target.write_text(json.dumps({"node0": ["a.bin", "c.bin"], "node1": ["c.bin", "d.bin"]}))
    golden.write_text(json.dumps({"node0": ["a.bin", "b.bin"], "node1": ["c.bin", "d.bin"]}))
    compare(view, {Side.TARGET: str(target), Side.GOLDEN: str(golden)}, patience)
    answer = view.state.answer
    assert answer is not None
    assert answer.counts[Fault.DUPLICATED] == 1
    assert answer.counts[Fault.NEVER_READ] == 1
    twice = next(row for row in answer.rows if row.fault is Fault.DUPLICATED)
    assert twice.name == "c.bin"
    assert twice.target == "node0, node1"


def test_rows_are_copied_and_exported(
    view: DatasetView, tmp_path: Path, patience: Patience, monkeypatch: pytest.MonkeyPatch, window: MainWindow
) -> None:
    compare(
        view, lists(tmp_path, target=[line("a", "a"), line("=", "=b")], golden=[line("x", "a")]), patience
    )
    view.rows.table.setFocus()
    view.rows.table.selectAll()
    window.actions_registry["copy"].trigger()
    assert len(QApplication.clipboard().text().splitlines()) == 3
    place = tmp_path / "rows"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    QTest.mouseClick(view.rows.export, LEFT)
    patience(lambda: not view.state.exports.running)
    written = place.with_suffix(".csv").read_text("utf-8-sig").splitlines()
    assert len(written) == 3
    assert "'=b" in written[1]


def _never(folder: str, output: str, algorithm: str) -> Work[Written]:
    from core.messages import Message

    while True:
        yield Progress(1, 2, Message("progress.dataset_hash"))


def test_taking_checksums_can_be_stopped(
    view: DatasetView,
    folders: dict[Side, Path],
    tmp_path: Path,
    patience: Patience,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    card = view.sides[Side.TARGET]
    monkeypatch.setattr(card.making, "work", _never)
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "list"), ""))
    type_into(view, Side.TARGET, folders[Side.TARGET])
    QTest.mouseClick(card.take, LEFT)
    assert card.progress.isVisible()
    assert not card.take.isEnabled()
    QTest.mouseClick(card.progress.cancel, LEFT)
    assert card.making.stage is Stage.STOPPED
    assert card.facts.isVisible()
    assert card.facts.text()
    assert card.take.isEnabled()


def test_what_cannot_be_read_or_written_is_said(
    view: DatasetView,
    folders: dict[Side, Path],
    tmp_path: Path,
    patience: Patience,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    card = view.sides[Side.TARGET]
    place = tmp_path / "nowhere" / "deep" / "list"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(place), ""))
    place.parent.parent.write_text("a file")
    type_into(view, Side.TARGET, folders[Side.TARGET])
    QTest.mouseClick(card.take, LEFT)
    patience(lambda: card.making.stage is Stage.FAILED)
    assert str(place) in card.facts.text()
    compare(view, {Side.TARGET: str(tmp_path / "gone"), Side.GOLDEN: str(folders[Side.GOLDEN])}, patience)
    assert view.state.stage is Stage.FAILED
    assert view.state.answer is None


def test_evidence_of_the_checklist_is_compared(
    view: DatasetView, window: MainWindow, folders: dict[Side, Path], patience: Patience
) -> None:
    target, golden = (
        EvidenceSummary(str(folder), (EvidenceKind.DATA.value,), str(folder), False)
        for folder in folders.values()
    )
    window.session.precheck.show_report(PrecheckReport((), (target,), (golden,)))
    assert view.sides[Side.GOLDEN].field.path == str(folders[Side.GOLDEN])
    patience(lambda: view.state.answer is not None)


def test_another_path_takes_the_answer_away(view: DatasetView, tmp_path: Path, patience: Patience) -> None:
    compare(view, lists(tmp_path, target=[line("a", "a")], golden=[line("a", "a")]), patience)
    type_into(view, Side.TARGET, tmp_path / "other")
    QTest.keyClick(view.sides[Side.TARGET].field.field, Qt.Key.Key_Tab)
    assert view.state.answer is None
    assert view.hint.isVisible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_follow_the_language(
    view: DatasetView, tmp_path: Path, patience: Patience, language: str
) -> None:
    compare(view, lists(tmp_path, target=[line("a", "a")], golden=[line("b", "a")]), patience)
    set_language(language)
    for widget in QApplication.allWidgets():
        if hasattr(widget, "retranslate") and view.isAncestorOf(widget):
            widget.retranslate()
    words = [view.headline.words, view.sides[Side.TARGET].facts.text(), *sum(listed(view), ())]
    assert not any("gui." in word for word in words)


def test_a_list_of_checksums_tells_no_order(view: DatasetView, tmp_path: Path, patience: Patience) -> None:
    one, two = line("one", "a/1.bin"), line("two", "a/2.bin")
    compare(view, lists(tmp_path, target=[one, two], golden=[two, one]), patience)
    assert view.state.answer is not None
    assert view.state.answer.counts == {}
    assert text("gui.dataset.told.no_order") in view.headline.words
    assert text("gui.dataset.order.none") not in view.sides[Side.GOLDEN].facts.text()


def test_lists_in_the_order_of_reading_are_compared_in_it(
    view: DatasetView, tmp_path: Path, patience: Patience
) -> None:
    names = ["a/1.bin", "a/2.bin", "a/3.bin"]
    paths = {}
    for side, listed_names in ((Side.TARGET, names), (Side.GOLDEN, names[::-1])):
        place = tmp_path / f"{side.value}_files.txt"
        place.write_text("\n".join(listed_names) + "\n")
        paths[side] = str(place)
    compare(view, paths, patience)
    assert view.state.answer is not None
    assert view.state.answer.counts == {Fault.ORDER: 2}
    assert text("gui.dataset.told.no_order") not in view.headline.words
    assert text("gui.dataset.order.none") in view.sides[Side.GOLDEN].facts.text()


@pytest.mark.parametrize("size", [(860, 560), (1280, 800), (1680, 1050)])
def test_fields_and_buttons_are_seen_whole(
    window: MainWindow, view: DatasetView, tmp_path: Path, patience: Patience, size: tuple[int, int]
) -> None:
    window.resize(*size)
    one, two = line("one", "a/1.bin"), line("two", "a/2.bin")
    compare(view, lists(tmp_path, target=[one, two], golden=[line("won", "a/1.bin"), two]), patience)
    for card in view.sides.values():
        for part in (card.field.field, card.take, card.algorithm, view.compare):
            assert part.height() >= (part.minimumHeight() or part.minimumSizeHint().height())
            box = part.rect().translated(part.mapTo(view, part.rect().topLeft()))
            assert view.rect().contains(box)
        inside = card.field.field.mapTo(card, card.field.field.rect().bottomLeft())
        assert inside.y() < card.take.mapTo(card, card.take.rect().topLeft()).y()
