"""What must not change the answer: which side is which, how calls are numbered, one call more."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from builders.scored_cases import diagnose

from core.records.result import CellResult

_CALL = re.compile(r"^((?:Functional|Tensor|Torch)\..+?)\.(\d+)\.(forward|backward)$")
PAIRS = [
    ("statistics_mix", "broken_gelu"), ("statistics_mix", "bf16"), ("statistics_mix", "extra_call"),
    ("md5_mix", "broken_gelu"), ("tensor_L1", "bf16"),
]  # fmt: skip
Entries = list[tuple[str, Any]]


def verdicts(cell: CellResult, name: Callable[[str], str] = str) -> dict[tuple[str, str, str, str], int]:
    """Return the verdict of each row, by the names of both sides."""
    rows = cell.rows
    found = {}
    for row in range(len(rows)):
        spelled = []
        for dump, operators, slots in (
            (cell.target, rows.target_operator, rows.target_slot),
            (cell.golden, rows.golden_operator, rows.golden_slot),
        ):
            operator, slot = int(operators[row]), int(slots[row])
            spelled += [
                dump.operator_name(operator) if operator >= 0 else "",
                dump.slot_name(slot) if slot >= 0 else "",
            ]
        found[name(spelled[0]), spelled[1], name(spelled[2]), spelled[3]] = int(rows.verdict[row])
    return found


def edited(source: Path, place: Path, edit: Callable[[Entries], Entries], name: Callable[[str], str]) -> Path:
    """Copy the dump *source* to *place* with its calls edited, and *name* on all names of calls."""
    shutil.copytree(source, place)
    for file in place.rglob("*.json"):
        content = json.loads(file.read_text("utf-8"))
        if file.name == "dump.json":
            content["data"] = dict(edit([(name(call), said) for call, said in content["data"].items()]))
        elif file.name == "construct.json":
            content = {name(call): _above(said, name) for call, said in content.items()}
        elif file.name == "stack.json":
            content = {key: [[name(call) for call in said[0]], said[1]] for key, said in content.items()}
        file.write_text(json.dumps(content), "utf-8")
    return place


def _above(said: Any, name: Callable[[str], str]) -> Any:
    if isinstance(said, list):
        return [name(part) if isinstance(part, str) else part for part in said]
    return name(said) if isinstance(said, str) else said


def renumbered(call: str) -> str:
    found = _CALL.match(call)
    return f"{found[1]}.{int(found[2]) + 7}.{found[3]}" if found else call


def same(entries: Entries) -> Entries:
    return entries


@pytest.mark.parametrize(("evidence", "variant"), PAIRS)
def test_swapping_the_sides_mirrors_the_rows_and_names_the_same_calls(
    dumps: Path, evidence: str, variant: str
) -> None:
    target, golden = dumps / evidence / variant, dumps / evidence / "golden"
    there, cells = diagnose(target, golden)
    back, mirrored = diagnose(golden, target)
    for cell, other in zip(cells, mirrored, strict=True):
        assert {row[2:] + row[:2] for row in verdicts(cell)} == set(verdicts(other))
        assert Counter(cell.rows.verdict.tolist()) == Counter(other.rows.verdict.tolist())
    assert [(one.operator, one.golden_operator) for one in there.suspects] == [
        (one.golden_operator, one.operator) for one in back.suspects
    ]


@pytest.mark.parametrize(("evidence", "variant"), PAIRS)
def test_renumbered_calls_change_nothing_but_names(
    dumps: Path, tmp_path: Path, evidence: str, variant: str
) -> None:
    target, golden = dumps / evidence / variant, dumps / evidence / "golden"
    before, cells = diagnose(target, golden)
    after, others = diagnose(edited(target, tmp_path / variant, same, renumbered), golden)
    for cell, other in zip(cells, others, strict=True):
        expected = {
            (renumbered(one), _moved(one, slot), two, other_slot): verdict
            for (one, slot, two, other_slot), verdict in verdicts(cell).items()
        }
        assert verdicts(other) == expected
        np.testing.assert_array_equal(cell.rows.error, other.rows.error)
        np.testing.assert_array_equal(cell.rows.origin, other.rows.origin)
    assert [one.operator and renumbered(one.operator) for one in before.suspects] == [
        one.operator for one in after.suspects
    ]


def _moved(call: str, slot: str) -> str:
    return slot.replace(call, renumbered(call), 1)


@pytest.mark.parametrize("place", [0, 9, 30])
@pytest.mark.parametrize(("evidence", "variant"), PAIRS)
def test_one_call_more_is_one_row_more(
    dumps: Path, tmp_path: Path, evidence: str, variant: str, place: int
) -> None:
    target, golden = dumps / evidence / variant, dumps / evidence / "golden"
    added = "Torch.ones.0.forward"

    def insert(entries: Entries) -> Entries:
        return [
            *entries[:place],
            (added, {"input_args": [], "input_kwargs": {}, "output": []}),
            *entries[place:],
        ]

    before, cells = diagnose(target, golden)
    after, others = diagnose(edited(target, tmp_path / variant, insert, str), golden)
    for cell, other in zip(cells, others, strict=True):
        more = verdicts(other)
        assert [row for row in more if row[0] == added] == [(added, "", "", "")]
        assert {row: verdict for row, verdict in more.items() if row[0] != added} == verdicts(cell)
    assert [one.operator for one in before.suspects] == [one.operator for one in after.suspects]
