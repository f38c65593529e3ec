"""What was ignored in the window does not fail a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.cli.main import main
from core.match.ignored import ignored_rows
from core.records.ignoring import IgnoreKind, IgnoreRule
from core.records.notes import Notes
from core.records.run import CellKey
from core.store.notes import save_notes
from core.store.results import load_cell

HERE = CellKey("", 0, 0)


def test_a_pair_of_which_all_that_differs_is_ignored(
    demo_pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    target, golden = map(str, demo_pair)
    result = str(tmp_path / "out.h5")
    assert main(["compare", target, golden, "-o", result]) == 1
    assert "ignored" not in capsys.readouterr().err
    cell = load_cell(result, HERE)
    names = {cell.target.operator_name(operator) for operator in range(len(cell.target.operators))}
    notes = Notes()
    for name in sorted(names):
        notes = notes.ignore(IgnoreRule(IgnoreKind.CALL, name, "known"))
    save_notes(target, golden, notes)
    assert main(["compare", target, golden]) == 0
    assert "rows are ignored" in capsys.readouterr().err
    assert main(["rounds", result, result, "--quiet"]) == 0


def test_rows_of_a_type(demo_pair: tuple[Path, Path], tmp_path: Path) -> None:
    result = str(tmp_path / "out.h5")
    main(["compare", *map(str, demo_pair), "-o", result, "--quiet"])
    cell = load_cell(result, HERE)
    rule = IgnoreRule(IgnoreKind.TYPE, "gelu", "known")
    gone = ignored_rows(cell, [rule])
    for row, ignored in enumerate(gone.tolist()):
        name = cell.target.operator_name(int(cell.rows.target_operator[row]))
        assert ignored == (".gelu." in name)
    assert 0 < gone.sum() < len(gone)
    assert not ignored_rows(cell, []).any()
