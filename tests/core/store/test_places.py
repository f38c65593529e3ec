"""Where files may be written, and what is left of writers that died."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import InputError
from core.store.integrity import sealed_writer
from core.store.places import check_place, finished_file
from core.store.schema import FileKind

POSIX = pytest.mark.skipif(os.name == "nt", reason="links and process numbers as POSIX has them")


def code(output: str, *inputs: str) -> str:
    with pytest.raises(InputError) as refused:
        check_place(output, inputs)
    return refused.value.problem.code


@POSIX
def test_an_input_is_refused_by_whatever_name(tmp_path: Path) -> None:
    golden = tmp_path / "golden.npy"
    golden.write_bytes(b"precious")
    (tmp_path / "link.npy").symlink_to(golden)
    (tmp_path / "link_to_link.npy").symlink_to("link.npy")
    os.link(golden, tmp_path / "hard.npy")
    (tmp_path / "folder").symlink_to(tmp_path)
    for name in ("golden.npy", "link.npy", "link_to_link.npy", "hard.npy", "folder/golden.npy"):
        assert code(str(tmp_path / name), "", str(tmp_path / "none"), str(golden)) == "output_is_input"
    assert check_place(str(tmp_path / "new.npy"), [str(golden)]) == tmp_path / "new.npy"


@POSIX
def test_only_files_are_written(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(os.devnull)
    for name in (os.devnull, str(tmp_path), str(tmp_path / "pipe"), str(tmp_path / "link")):
        assert code(name) == "output_not_a_file"
    assert code("") == "output_empty"


@POSIX
@pytest.mark.parametrize("there", [True, False])
def test_a_link_stays_and_what_it_points_at_is_written(tmp_path: Path, there: bool) -> None:
    (tmp_path / "elsewhere").mkdir()
    place = tmp_path / "elsewhere" / "report.json"
    link = tmp_path / "report.json"
    link.symlink_to(place)
    if there:
        place.write_text("old")
    with finished_file(link) as unfinished:
        unfinished.write_text("new")
    assert link.is_symlink()
    assert place.read_text() == "new"
    with sealed_writer(link, FileKind.RESULT) as file:
        file["x"] = 1
    assert link.is_symlink()
    assert place.read_bytes()[:1] == b"{"
    assert [path.name for path in place.parent.iterdir()] == ["report.json"]


@pytest.mark.parametrize("name", ["x" * 251 + ".csv", "é" * 120 + ".csv", "文" * 83 + ".csv"])
def test_every_name_that_the_disk_allows(tmp_path: Path, name: str) -> None:
    with finished_file(tmp_path / name) as unfinished:
        unfinished.write_text("whole")
    assert [path.name for path in tmp_path.iterdir()] == [name]


@POSIX
def test_leftovers_of_the_dead_are_removed_and_of_the_living_kept(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    for pid, name in ((gone.pid, "a.npy"), (os.getppid(), "a.npy"), (gone.pid, "b.npy")):
        (tmp_path / f".{name}.{pid}.tmp").write_text("half")
    (tmp_path / ".a.npy.draft.tmp").write_text("not ours")
    with finished_file(tmp_path / "a.npy") as unfinished:
        unfinished.write_text("whole")
    kept = {f".a.npy.{os.getppid()}.tmp", f".b.npy.{gone.pid}.tmp", ".a.npy.draft.tmp", "a.npy"}
    assert {path.name for path in tmp_path.iterdir()} == kept
