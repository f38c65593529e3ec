"""What the pre-check page says of checks, things compared and evidence, without any widget."""

from __future__ import annotations

from dataclasses import replace

import pytest
from builders import precheck_reports as made
from builders.precheck_reports import BATCH, PACKAGES, RATE
from PySide6.QtCore import QObject, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from core.messages import text
from core.precheck.checklist import CHECKLIST
from core.records.evidence import EvidenceKind, Given, Place
from core.records.precheck import Check, Entry, Group, Outcome
from gui.models.pair.categories import Category
from gui.models.precheck.checks import CheckColumn, CheckTree
from gui.models.precheck.copied import markdown, tab_separated
from gui.models.precheck.evidence import evidence_lines
from gui.models.precheck.items import ItemColumn, ItemTable
from gui.models.precheck.words import CATEGORIES, matches, place_text, side_summary, whole_place
from gui.models.roles import Role
from gui.precheck.choice import PrecheckChoice
from gui.precheck.sides import Side, sorted_by_side


def check(id: str) -> Check:
    return next(each for each in made.report().checks if each.id == id)


def everything(_check: Check) -> bool:
    return True


def test_the_tree_holds_every_check_under_its_part(qtmodeltester: ModelTester) -> None:
    tree = CheckTree()
    assert tree.show_report(made.report(), everything)
    qtmodeltester.check(tree)
    assert [group.group for group in tree.groups] == list(Group)
    ids = [
        tree.check_at(tree.index(row, 0, parent)).id  # type: ignore[union-attr]
        for parent in tree.group_indexes()
        for row in range(tree.rowCount(parent))
    ]
    assert sorted(ids) == sorted(kind.id for kind in CHECKLIST)
    index = tree.index_of(RATE)
    assert tree.data(index, Role.CATEGORY) is Category.INTRODUCED
    assert tree.index(index.row(), CheckColumn.TARGET, index.parent()).data() == "0.002"
    assert tree.index(index.row(), CheckColumn.GOLDEN, index.parent()).data() == "0.001"
    assert dict(tree.groups[list(Group).index(Group.HYPER_PARAMETERS)].counts)[Outcome.FAIL] == 2


def test_filtered_parts_count_what_is_listed() -> None:
    tree = CheckTree()
    tree.show_report(made.report(), lambda each: each.result is Outcome.FAIL)
    assert [group.group for group in tree.groups] == [Group.HYPER_PARAMETERS]
    assert len(tree.groups[0].checks) == 2
    assert tree.groups[0].counts == [(Outcome.FAIL, 2)]
    assert not tree.index_of(PACKAGES).isValid()


def test_the_same_rows_are_told_anew_without_a_reset(qtbot: QtBot) -> None:
    tree = CheckTree()
    tree.show_report(made.report(), everything)
    with qtbot.assertNotEmitted(tree.modelReset):
        changed = made.report({RATE: Entry(Outcome.PASS, "wanted", name="Li")})
        assert not tree.show_report(changed, everything)
    index = tree.index_of(RATE)
    assert index.data() == text("precheck.outcome.pass")
    assert index.siblingAtColumn(CheckColumn.REMARK).data() == "wanted  ·  Li"


def test_what_is_not_done_has_no_values() -> None:
    tree = CheckTree()
    tree.show_report(made.report(), everything)
    index = tree.index_of("model.shape")
    assert [index.siblingAtColumn(column).data() for column in (CheckColumn.TARGET, CheckColumn.GOLDEN)] == [
        "",
        "",
    ]


def test_several_things_are_named_and_the_rest_counted() -> None:
    batch = check(BATCH)
    assert side_summary(batch, False) == f"global_batch 64, accumulation {text('gui.precheck.missing')}"
    assert side_summary(batch, True) == "global_batch 32, accumulation 2"
    many = replace(batch, items=tuple(made.item(f"s{n}", "1", "2") for n in range(5)), left_off=7)
    assert side_summary(many, False).endswith(text("gui.precheck.more", count=9))


@pytest.mark.parametrize(
    ("words", "found"),
    [("", True), ("learning_rate", True), ("0.002", True), ("LEARNING 0.001", True), ("torch", False)],
)
def test_a_search_finds_settings_and_values(words: str, found: bool) -> None:
    assert matches(check(RATE), words) is found


def test_things_that_count_are_told_from_those_that_do_not() -> None:
    table = ItemTable()
    batch = check(BATCH)
    table.show_check(batch, False)
    assert table.rowCount() == table.counting == 2
    missing = table.index(1, ItemColumn.TARGET)
    assert missing.data() == text("gui.precheck.missing")
    assert missing.data(Role.CHANGED)
    assert table.place_at(table.index(1, ItemColumn.TARGET_PLACE)) is None
    assert table.index(0, ItemColumn.TARGET_PLACE).data() == "train_npu.sh:20"
    assert made.TARGET in table.index(0, ItemColumn.TARGET).data(Qt.ItemDataRole.ToolTipRole)
    packages = check(PACKAGES)
    table.show_check(packages, True)
    assert table.rowCount() == 0
    table.show_check(packages, False)
    marks = [table.index(row, 0).data(Role.CATEGORY) for row in range(table.rowCount())]
    assert marks == [Category.CLOSE, Category.EQUAL]
    assert table.rowCount(table.index(0, 0)) == table.columnCount(table.index(0, 0)) == 0


def test_copied_lines_stay_lines() -> None:
    lines = [["a", "b"], ["x|y", "two\nlines"]]
    assert tab_separated(lines) == "a\tb\nx|y\ttwo lines"
    assert markdown(lines) == "| a | b |\n| --- | --- |\n| x\\|y | two lines |\n"
    assert markdown([]) == ""


def test_places_name_the_file_and_the_member() -> None:
    assert place_text(Place("C:\\runs\\a.sh", 4)) == "a.sh:4"
    assert place_text(Place("/d/pack.zip", 0, "env/env.json")) == "env.json"
    assert whole_place(Place("/d/pack.zip", 3, "env.json")) == "/d/pack.zip!env.json:3"
    assert place_text(None) == ""


def test_a_line_for_all_that_was_given_and_what_was_found() -> None:
    target, _ = made.evidence()
    given = (Given(made.TARGET), Given("/data/npu/env.txt"), Given("/new", EvidenceKind.LOG))
    script, lost, fresh, dump = evidence_lines(given, target)
    assert script.kinds == (EvidenceKind.SCRIPT, EvidenceKind.ENVIRONMENT)
    assert lost.is_refused
    assert len(lost.problems) == 1
    assert not fresh.read
    assert not fresh.is_refused
    assert fresh.asked is EvidenceKind.LOG
    assert dump.found
    assert dump.kinds == (EvidenceKind.DUMP,)


def test_names_tell_the_sides_of_what_is_dropped_together() -> None:
    both = sorted_by_side(["/r/gpu_train.sh", "/r/npu_train.sh"])
    assert both == {Side.TARGET: ["/r/npu_train.sh"], Side.GOLDEN: ["/r/gpu_train.sh"]}
    told = sorted_by_side(["/r/gpu_train.sh", "/r/npu_train.sh"], told=True)
    assert told[Side.TARGET] == ["/r/gpu_train.sh"]
    several = sorted_by_side(["/gpu/a.sh", "/npu/a.sh", "/npu/pip.txt", "/x/env.txt"])
    assert several[Side.GOLDEN] == ["/gpu/a.sh"]
    assert len(several[Side.TARGET]) == 3
    undecided = sorted_by_side(["/x/env.txt"], otherwise=Side.GOLDEN)
    assert undecided == {Side.TARGET: [], Side.GOLDEN: ["/x/env.txt"]}


def test_fails_are_turned_through_by_how_likely_they_are_the_cause(qtbot: QtBot) -> None:
    owner = QObject()
    choice = PrecheckChoice(owner)
    choice.load(made.report())
    assert choice.chosen == RATE
    choice.turn(True)
    assert choice.chosen == BATCH
    choice.turn(True)
    assert choice.chosen == RATE
    choice.choose("model.shape")
    choice.choose_outcome(Outcome.PASS)
    with qtbot.waitSignal(choice.filter_changed):
        choice.turn(False)
    assert choice.outcome is None
    assert choice.chosen == BATCH
    choice.load(made.report(hyper_parameters__batch=Outcome.PASS))
    assert choice.chosen == BATCH


def test_each_result_has_a_mark_of_its_own() -> None:
    assert set(CATEGORIES) == set(Outcome)
    assert len(set(CATEGORIES.values())) == 3
