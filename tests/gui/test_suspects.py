"""The words and numbers of the diagnosis, without a window."""

from __future__ import annotations

import pytest
from builders.diagnoses import suspect
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from core.messages import LANGUAGES, text
from core.records.diagnosis import Kind, Proof
from core.records.stacks import Frame
from gui.models.pair.suspects import (
    evidence_lines,
    fact_help,
    fact_name,
    fact_value,
    first_user_frame,
)
from gui.widgets.facts_panel import FactsPanel
from gui.widgets.labels import breakable, unbroken


def test_nan_is_beyond_every_limit() -> None:
    nan = suspect("Functional.gelu.1.forward", evidence={"output_error": float("nan"), "allowed": 1e-6})
    assert [beyond for _, _, beyond in evidence_lines(nan)] == [True, False]


def test_a_name_that_may_break_reads_the_same() -> None:
    name = "Module.blocks.1.feed_forward.FeedForward"
    assert breakable(name) != name
    assert unbroken(breakable(name)) == name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_kind_and_proof_has_its_words(language: str) -> None:
    codes = [f"kind.{kind.value}" for kind in Kind]
    codes += [f"proof.{proof.value}{end}" for proof in Proof for end in ("", ".help")]
    assert [code for code in codes if text(code, language) == code] == []


def test_a_fact_without_a_word_is_still_readable() -> None:
    assert fact_name("local_error_target") == "Local error, target"
    assert fact_name("never_heard_of") == "Never heard of"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (3392, "3\u202f392"), (3391.8, "3\u202f392"), (999.5, "999.5"), (-0.25, "−0.25"), (0.0, "0"),
        (2.02e-4, "2.02e−04"), (float("inf"), "Inf"), (float("-inf"), "−Inf"), (float("nan"), "NaN"),
        ("1e-05", "1e-05"), (123456.7, "123\u202f457"), (4.2e9, "4.20e+09"), (8.0, "8"),
    ],
)  # fmt: skip
def test_evidence_is_written_as_people_read_numbers(value: float | str, shown: str) -> None:
    assert fact_value(value) == shown


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["/x/site-packages/torch/nn/functional.py", "/home/me/train/model.py", "/home/me/main.py"], 1),
        (["/opt/torch_npu/ops.py", "/usr/lib/python3.10/contextlib.py", "<frozen runpy>", "model.py"], 3),
        (["C:\\env\\site-packages\\msprobe\\hook.py", "C:\\work\\net.py"], 1),
        (["/home/torchlight/model.py"], 0),
        (["/a/site-packages/x.py", "/a/site-packages/y.py"], 0),
    ],
)
def test_the_caller_is_the_users_own_line(paths: list[str], found: int) -> None:
    frames = tuple(Frame(path, number + 1, "f", "code") for number, path in enumerate(paths))
    assert first_user_frame(frames) is frames[found]
    assert first_user_frame(()) is None


def test_an_element_is_named_by_its_place_in_the_tensor() -> None:
    item = suspect("Functional.gelu.1.forward", evidence={"worst_index": 328})
    assert evidence_lines(item, (1, 10, 48))[0][1] == "[0, 6, 40]"
    assert evidence_lines(item)[0][1] == "328"


@pytest.mark.parametrize("name", ["local_error_target", "local_error_golden", "units", "input_error",
                                  "output_error", "worst_index"])  # fmt: skip
def test_each_factor_says_what_it_is_relative_to(name: str) -> None:
    for language in LANGUAGES:
        assert text(f"evidence_fact.{name}.help", language) != f"evidence_fact.{name}.help"
    assert "/" in fact_help(name) or name == "worst_index"
    assert fact_help("cells") == ""


def test_a_fact_tells_what_it_is_where_the_pointer_rests(qtbot: QtBot) -> None:
    panel = FactsPanel()
    qtbot.addWidget(panel)
    panel.set_facts([("a", "1"), ("b", "2")])
    panel.set_tips(["first", ""])
    panel.resize(200, 80)
    panel.show()
    names = panel.findChildren(QLabel)
    assert panel.tip_at(names[0].geometry().center()) == "first"
    assert panel.tip_at(names[-1].geometry().center()) == ""
