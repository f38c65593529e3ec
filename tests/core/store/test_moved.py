"""Dumps that have moved since a result was made of them."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from core.cli.main import main
from core.emulation.jobs import emulation_of_result
from core.errors import InputError
from core.progress import run_to_end
from core.records.result import CellResult
from core.records.run import CellKey
from core.store.moved import (
    Likeness,
    Moved,
    TensorFile,
    load_moved,
    look_at,
    place_by,
    placed,
    rule_for,
    save_moved,
    tensor_files,
    with_rule,
)
from core.store.results import load_cell, load_cells
from core.store.tensor_bytes import place_of
from gui.comparison.reconnect_work import locate, whereabouts

GELU = "Functional.gelu.1.forward"
HERE = CellKey("", 0, 0)


@pytest.fixture
def server(tmp_path: Path, demo_pair: tuple[Path, Path]) -> Path:
    """Return a folder with two dumps and their result."""
    place = tmp_path / "server"
    for side, name in zip(demo_pair, ("npu_dump", "gpu_dump")):
        shutil.copytree(side, place / name)
    main(
        ["compare", str(place / "npu_dump"), str(place / "gpu_dump"), "-o", str(place / "out.h5"), "--quiet"]
    )
    return place


@pytest.fixture
def elsewhere(server: Path, tmp_path: Path) -> Path:
    """Return where the folder has been moved to."""
    shutil.move(server, tmp_path / "elsewhere")
    return tmp_path / "elsewhere"


def _reads(cell: CellResult) -> bool:
    """Whether a tensor of either side can be opened."""
    for dump in (cell.target, cell.golden):
        slot = next(slot for slot in range(len(dump.slots)) if place_of(dump, slot) is not None)
        place = place_of(dump, slot)
        assert place is not None
        try:
            place.open().close()
        except InputError:
            return False
    return True


def test_a_rule_leads_every_reader_to_the_tensors(elsewhere: Path, server: Path) -> None:
    result = elsewhere / "out.h5"
    assert not _reads(load_cell(result, HERE))
    save_moved([Moved(str(server), str(elsewhere), True)])
    assert _reads(load_cell(result, HERE))
    assert all(_reads(cell) for cell in load_cells(result))
    assert not _reads(load_cell(result, HERE, as_written=True))
    found = run_to_end(emulation_of_result(str(result), "910B", None, [HERE], [GELU]))
    assert [call.operator for call in found.calls] == [GELU]
    assert found.calls[0].verdict.name != "NOT_REPLAYED"


def test_what_is_in_its_place_stays_there(server: Path, tmp_path: Path) -> None:
    shutil.copytree(server, tmp_path / "copy")
    save_moved([Moved(str(server), str(tmp_path / "copy"), True)])
    cell = load_cell(server / "out.h5", HERE)
    assert cell.target.data_dir.startswith(str(server))
    shutil.rmtree(server / "npu_dump")
    cell = load_cell(server / "out.h5", HERE)
    assert cell.target.data_dir.startswith(str(tmp_path / "copy"))
    assert cell.golden.data_dir.startswith(str(server))


def test_the_longest_rule_that_leads_somewhere_counts(elsewhere: Path, server: Path) -> None:
    dump = load_cell(elsewhere / "out.h5", HERE, as_written=True).target
    wide = Moved(str(server), str(elsewhere), True)
    narrow = Moved(str(server / "npu_dump"), "/nowhere", True)
    assert placed(dump, [wide, narrow]).data_dir.startswith(str(elsewhere))
    assert placed(dump, [narrow]).data_dir == dump.data_dir
    assert placed(replace(dump, data_dir=""), [wide]).data_dir == ""
    assert place_by(wide, "/another/place") == ""


def test_times_that_are_not_looked_at(elsewhere: Path, server: Path) -> None:
    result = elsewhere / "out.h5"
    for file in elsewhere.rglob("*.pt"):
        os.utime(file, (1, 1))
    save_moved([Moved(str(server), str(elsewhere), True)])
    assert not _reads(load_cell(result, HERE))
    save_moved([Moved(str(server), str(elsewhere), False)])
    assert _reads(load_cell(result, HERE))


def test_a_look_tells_same_sizes_other_and_missing(tmp_path: Path) -> None:
    files = []
    for number in range(3):
        place = tmp_path / f"{number}.pt"
        place.write_bytes(b"x" * (10 + number))
        files.append(TensorFile(place.name, 10 + number, place.stat().st_mtime_ns))
    assert look_at(str(tmp_path), files).same
    os.utime(tmp_path / "1.pt", (1, 1))
    seen = look_at(str(tmp_path), files)
    assert (seen.likeness, seen.file) == (Likeness.SIZES, "1.pt")
    (tmp_path / "2.pt").write_bytes(b"y")
    seen = look_at(str(tmp_path), files)
    assert (seen.likeness, seen.file, seen.expected, seen.size) == (Likeness.OTHER, "2.pt", 12, 1)
    (tmp_path / "2.pt").unlink()
    assert look_at(str(tmp_path), files).size == -1
    assert look_at(str(tmp_path / "no"), files).likeness is Likeness.MISSING
    assert look_at(str(tmp_path), []).same


def test_sampled_files_come_from_all_over(server: Path) -> None:
    dump = load_cell(server / "out.h5", HERE).target
    every = tensor_files(dump, 10_000)
    some = tensor_files(dump, 5)
    assert len(some) == 5
    assert (some[0], some[-1]) == (every[0], every[-1])
    assert set(some) <= set(every)
    assert tensor_files(dump, 1) == every[:1]


def test_rules_are_kept(tmp_path: Path) -> None:
    assert load_moved() == ()
    rules = with_rule(with_rule((), Moved("/a", "/b", True)), Moved("/a", "/c", False))
    save_moved(rules)
    assert load_moved() == (Moved("/a", "/c", False),)


def test_beside_the_result_they_are_found_at_once(elsewhere: Path) -> None:
    result = elsewhere / "out.h5"
    cell = load_cell(result, HERE, as_written=True)
    sides = whereabouts(cell, str(result))
    assert not any(side.lost for side in sides)
    assert _reads(load_cell(result, HERE))


def test_a_folder_is_that_of_one_side(elsewhere: Path, tmp_path: Path) -> None:
    cell = load_cell(elsewhere / "out.h5", HERE, as_written=True)
    sides = whereabouts(cell, str(tmp_path / "home" / "out.h5"))
    assert all(side.lost for side in sides)
    target, golden = locate(sides, str(elsewhere / "npu_dump"))
    assert target is not None
    assert target.look.same
    assert golden is None
    copy = tmp_path / "copies"
    shutil.copytree(elsewhere, copy, copy_function=shutil.copyfile)
    for name, wanted in (("npu_dump", (True, False)), ("gpu_dump", (False, True))):
        assert tuple(one is not None for one in locate(sides, str(copy / name))) == wanted
    assert [one is not None and one.look.likeness for one in locate(sides, str(copy))] == [Likeness.SIZES] * 2
    renamed = shutil.move(copy / "gpu_dump", copy / "other")
    assert tuple(one is not None for one in locate(sides, str(renamed))) == (True, False)
    assert locate(sides, str(tmp_path / "home")) == (None, None)


def test_a_rule_is_as_short_as_can_be(elsewhere: Path, server: Path) -> None:
    dump = load_cell(elsewhere / "out.h5", HERE, as_written=True).target
    made = rule_for(dump.data_dir, tensor_files(dump, 5), str(elsewhere))
    assert made is not None
    assert made[0] == Moved(str(server), str(elsewhere), True)
