"""Files found again after they were moved, from Windows and POSIX paths."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.path_mapping import PathMapping, Rule

NAMES = st.text("abcXYZ0_-. é模", min_size=1, max_size=6).filter(
    lambda name: name.strip(". ") == name and name
)
PARTS = st.lists(NAMES, min_size=1, max_size=5)


def made(folder: Path, *names: str) -> Path:
    file = folder.joinpath(*names)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("x", "utf-8")
    return file


def test_a_file_that_lies_where_it_lay_needs_no_rule(tmp_path):
    file = made(tmp_path, "src", "model.py")
    assert PathMapping().find(str(file)) == file
    assert PathMapping().find(str(tmp_path / "gone.py")) is None


@pytest.mark.parametrize(
    ("old", "path"),
    [
        ("/root/job", "/root/job/src/model.py"),
        ("/root/job/", "/root//job/./src/model.py"),
        ("C:\\Users\\x\\job", "C:\\Users\\x\\job\\src\\model.py"),
        ("C:\\Users\\x\\job", "c:/users/X/job/src/model.py"),
        ("\\\\server\\share\\job", "\\\\server\\share\\job\\src\\model.py"),
        ("", "src/model.py"),
        ("", "src\\model.py"),
        ("/", "/src/model.py"),
    ],
)
def test_a_rule_moves_what_lies_under_its_folder(tmp_path, old, path):
    file = made(tmp_path, "src", "model.py")
    assert PathMapping([(old, str(tmp_path))]).find(path) == file


@pytest.mark.parametrize(
    "path", ["/root/jobs/src/model.py", "/Root/job/src/model.py", "job/src/model.py", ""]
)
def test_a_rule_leaves_the_neighbours_of_its_folder(tmp_path, path):
    made(tmp_path, "src", "model.py")
    assert list(PathMapping([("/root/job", str(tmp_path))]).candidates(path)) in ([], [Path(path)])
    assert PathMapping([("/root/job", str(tmp_path))]).find(path) is None


def test_the_longest_rule_wins_and_a_shorter_one_stands_in_for_it(tmp_path):
    far, near = made(tmp_path / "far", "job", "a.py"), made(tmp_path / "near", "a.py")
    other = made(tmp_path / "far", "job", "b.py")
    mapping = PathMapping([["/root/job", str(tmp_path / "near")], ["/root", str(tmp_path / "far")]])
    assert mapping.find("/root/job/a.py") == near
    assert mapping.find("/root/job/b.py") == other
    assert far.exists()


def test_a_rule_told_again_replaces_the_one_before(tmp_path):
    file = made(tmp_path / "second", "a.py")
    made(tmp_path / "first", "a.py")
    mapping = PathMapping([("/old", str(tmp_path / "first"))]).with_rule("/old", str(tmp_path / "second"))
    assert mapping.rules == (Rule("/old", str(tmp_path / "second")),)
    assert mapping.find("/old/a.py") == file


def test_no_path_leads_out_of_the_folder_of_a_rule(tmp_path):
    made(tmp_path, "secret.txt")
    inside = tmp_path / "inside"
    inside.mkdir()
    mapping = PathMapping([("/old", str(inside)), ("", str(inside))])
    assert mapping.find("/old/../secret.txt") is None
    assert mapping.find("../secret.txt") is None
    assert mapping.find("..\\secret.txt") is None


def test_a_relative_path_is_not_looked_for_in_the_working_directory(tmp_path, monkeypatch):
    made(tmp_path, "model.py")
    monkeypatch.chdir(tmp_path)
    assert PathMapping().find("model.py") is None


@pytest.mark.parametrize("path", ["/a\0b", "/" + "x" * 5000, "/\ud800", "<string>", "C:"])
def test_odd_paths_are_found_nowhere(tmp_path, path):
    assert PathMapping([("/", str(tmp_path))]).find(path) is None


@pytest.mark.parametrize(
    ("old", "chosen", "rule"),
    [
        ("/root/job/src/model.py", "job", "/root/job"),
        ("/root/job/src/model.py", ".", "/root"),
        ("/root/job/src/model.py", "job/src", "/root/job/src"),
        ("D:\\job\\src\\model.py", "job", "D:\\job"),
        ("src/model.py", "job", ""),
        ("/root/job", "job", "/root/job"),
        ("/root/job/src", "job", "/root/job"),
    ],
)
def test_a_folder_is_guessed_by_the_longest_tail_that_is_there(tmp_path, old, chosen, rule):
    file = made(tmp_path, "job", "src", "model.py")
    new = str(tmp_path / chosen)
    found = PathMapping.guess(old, new)
    assert found == Rule(rule, new)
    reached = PathMapping([found]).find(old)
    assert reached is not None
    assert reached in (file, *file.parents)


def test_nothing_is_guessed_where_nothing_is_there(tmp_path):
    assert PathMapping.guess("/root/job/model.py", str(tmp_path)) is None
    assert PathMapping.guess("/root/job", str(tmp_path / "job")) is None
    assert PathMapping.guess("", str(tmp_path)) is None
    assert PathMapping.guess("/", str(tmp_path)) is None


@given(PARTS, PARTS, st.booleans())
def test_what_is_under_a_folder_keeps_its_tail(folder, tail, windows):
    separator, anchor = ("\\", "Q:\\") if windows else ("/", "/")
    old = anchor + separator.join(folder)
    path = old + separator + separator.join(tail)
    first = next(PathMapping([(old, os.sep + "new")]).candidates(path))
    assert first == Path(os.sep + "new", *tail)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_taken_for_a_path(old, path):
    mapping = PathMapping([(old, os.sep + "nowhere")])
    list(mapping.candidates(path))
    mapping.find(path)
    PathMapping.guess(path, os.sep + "nowhere")
