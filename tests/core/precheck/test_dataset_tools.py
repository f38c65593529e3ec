"""Listing a folder with checksums, and comparing lists: against hashlib, plain sets and plain loops."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import InputError
from core.formats.evidence.read import read_evidence
from core.precheck.dataset.comparison import ListComparison, compare_lists
from core.precheck.dataset.folder_list import FolderListing, list_folder
from core.precheck.dataset.kept_digests import forget
from core.precheck.dataset.list_file import write_list
from core.precheck.dataset.shards import shard_faults
from core.progress import run_to_end
from core.records.evidence import EvidenceKind, FileList, Given, Place, Shard


def files_of(root: Path, contents: dict[str, bytes]) -> Path:
    """Write *contents* below *root*."""
    for name, content in contents.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return root


def listing(root: Path, algorithm: str = "md5", **options: object) -> FolderListing:
    return run_to_end(list_folder(str(root), algorithm, **options))  # type: ignore[arg-type]


def by_name(found: FolderListing) -> dict[str, str]:
    return dict(zip(found.files.names, found.files.digests))


def file_list(*names: str, digests: tuple[str, ...] = (), sizes: tuple[int, ...] = ()) -> FileList:
    count = len(names)
    return FileList(
        names,
        np.array(sizes or (-1,) * count, np.int64),
        digests or ("",) * count,
        "md5" if digests else "",
        True,
        Place("list"),
    )


RANDOM = random.Random(7)
MANY = {f"part-{n % 7}/{n:04}.bin": RANDOM.randbytes(RANDOM.choice((0, 1, 900, 5000))) for n in range(700)}


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha256", "sha512"])
def test_checksums_are_those_of_hashlib(tmp_path: Path, algorithm: str) -> None:
    contents = dict(MANY) | {"large.bin": RANDOM.randbytes((1 << 21) + 3), "empty": b""}
    found = listing(files_of(tmp_path, contents), algorithm)
    assert by_name(found) == {
        name: hashlib.new(algorithm, content).hexdigest() for name, content in contents.items()
    }
    assert list(found.files.names) == sorted(contents)
    assert found.files.sizes.tolist() == [len(contents[name]) for name in found.files.names]
    assert (found.whole, found.problems, found.kept) == (True, (), 0)


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    root = files_of(tmp_path / "data", MANY)
    partial = tmp_path / "partial"
    assert by_name(listing(root, processes=2, partial=str(partial))) == by_name(listing(root, processes=1))
    again = listing(root, partial=str(partial), resume=True)
    assert (again.kept, by_name(again)) == (len(MANY), by_name(listing(root)))
    forget(partial)
    assert not partial.exists()


def test_sizes_alone(tmp_path: Path) -> None:
    found = listing(files_of(tmp_path, {"b": b"12", "a/c": b""}), "")
    assert (found.files.names, found.files.sizes.tolist()) == (("a/c", "b"), [0, 2])
    assert found.files.algorithm == ""
    assert found.whole


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such names")
@pytest.mark.parametrize("algorithm", ["md5", "sha256"])
def test_the_list_is_what_coreutils_read_and_what_evidence_reads(tmp_path: Path, algorithm: str) -> None:
    names = ["plain", "with blank", " leads", "back\\slash", "line\nfeed", "中文.txt", "#x", "sub/*star"]
    root = files_of(tmp_path / "data", {name: name.encode() for name in names})
    place = tmp_path / "list"
    found = listing(root, algorithm)
    assert run_to_end(write_list(place, found.files)) == len(names)
    tool = shutil.which(f"{algorithm}sum")
    if tool is not None:
        checked = subprocess.run(
            [tool, "-c", "--quiet", str(place)], cwd=root, capture_output=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, b"")
    (back,) = run_to_end(read_evidence(Given(str(place))))
    assert back.files is not None
    assert dict(zip(back.files.names, back.files.digests)) == by_name(found)
    assert (back.files.algorithm, back.files.ordered) == (algorithm, False)


def test_a_list_of_sizes_says_that_it_has_no_order_of_reading(tmp_path: Path) -> None:
    place = tmp_path / "list"
    found = listing(files_of(tmp_path / "data", {"a/x.bin": b"123", "y.bin": b""}), "")
    run_to_end(write_list(place, found.files))
    (back,) = run_to_end(read_evidence(Given(str(place), EvidenceKind.FILES)))
    assert back.files is not None
    assert (back.files.names, back.files.sizes.tolist()) == (("a/x.bin", "y.bin"), [3, 0])
    assert not back.files.ordered


@pytest.mark.skipif(sys.platform == "win32", reason="links and pipes")
def test_links_out_and_pipes_are_left_out_and_told(tmp_path: Path) -> None:
    outside = files_of(tmp_path / "outside", {"far": b"far"})
    root = files_of(tmp_path / "data", {"here": b"here", "deep/x": b"x"})
    (root / "inside").symlink_to(root / "here")
    (root / "out").symlink_to(outside / "far")
    (root / "folder").symlink_to(root / "deep")
    (root / "circle").symlink_to(root)
    (root / "broken").symlink_to(root / "nothing")
    os.mkfifo(root / "pipe")
    found = listing(root)
    assert found.files.names == ("deep/x", "here", "inside")
    told = {Path(problem.path).name: problem.code for problem in found.problems}
    assert told == {
        "out": "dataset_link_out", "folder": "dataset_link_out", "circle": "dataset_link_out",
        "broken": "unreadable", "pipe": "dataset_no_file",
    }  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_costs_itself(tmp_path: Path) -> None:
    root = files_of(tmp_path, {"a": b"a", "b": b"b"})
    (root / "a").chmod(0)
    found = listing(root)
    assert by_name(found) == {"a": "", "b": hashlib.md5(b"b").hexdigest()}
    assert ([problem.code for problem in found.problems], found.whole) == (["unreadable"], False)


def test_what_is_no_folder_and_no_algorithm(tmp_path: Path) -> None:
    files_of(tmp_path, {"a": b"a"})
    for folder, algorithm, code in (
        (tmp_path / "a", "md5", "dataset_no_folder"),
        (tmp_path / "none", "md5", "dataset_no_folder"),
        (tmp_path, "crc7", "dataset_algorithm"),
    ):
        with pytest.raises(InputError) as caught:
            listing(folder, algorithm)
        assert caught.value.problem.code == code


@settings(max_examples=10, deadline=None)
@given(stop=st.integers(1, 30), change=st.booleans(), cut=st.integers(0, 40))
def test_cancelled_and_resumed_is_the_same_list(
    tmp_path_factory: pytest.TempPathFactory, stop: int, change: bool, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("resumed")
    root, partial = files_of(folder / "data", MANY), folder / "list.partial"
    work = list_folder(str(root), "md5", partial=str(partial))
    for _, _progress in zip(range(stop), work):
        pass
    work.close()
    name = "part-0/0000.bin"
    if change:
        (root / name).write_bytes(b"changed")
    kept = partial / "0.digests"
    if cut and kept.exists():  # as a process that is killed in the middle of a line leaves it
        content = kept.read_bytes()
        kept.write_bytes(content[: max(len(content) - cut, 0)])
    found = listing(root, partial=str(partial), resume=True)
    wanted = MANY | ({name: b"changed"} if change else {})
    assert by_name(found) == {name: hashlib.md5(content).hexdigest() for name, content in wanted.items()}


def test_another_algorithm_or_no_resume_begins_anew(tmp_path: Path) -> None:
    root, partial = files_of(tmp_path / "data", MANY), tmp_path / "list.partial"
    for resume, algorithm in ((True, "sha1"), (False, "md5")):
        work = list_folder(str(root), "md5", partial=str(partial))
        for _, _progress in zip(range(3), work):
            pass
        work.close()
        assert (partial / "0.digests").stat().st_size
        found = listing(root, algorithm, partial=str(partial), resume=resume)
        assert (found.kept, found.whole) == (0, True)


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_killed_at_any_moment_and_resumed_is_the_same_list(tmp_path: Path) -> None:
    root = files_of(tmp_path / "data", MANY | {f"large{n}": RANDOM.randbytes(9 << 20) for n in range(8)})
    output = tmp_path / "list"
    command = [sys.executable, "-m", "core.cli.main", "dataset", "checksums", str(root), "-o", str(output)]
    for pause in (0.02, 0.08):
        process = subprocess.Popen([*command, "--resume", "--quiet"], start_new_session=True)
        partial, until = Path(f"{output}.partial"), time.monotonic() + 20
        while not partial.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(pause)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert partial.exists() or output.exists()
    done = subprocess.run([*command, "--resume", "--quiet"], check=False)
    assert (done.returncode, partial.exists()) == (0, False)
    whole = tmp_path / "whole"
    run_to_end(write_list(whole, listing(root).files))
    assert output.read_bytes() == whole.read_bytes()


NAMES = st.lists(
    st.tuples(st.sampled_from("abcde"), st.integers(0, 12)).map(lambda pair: f"{pair[0]}/f{pair[1]}"),
    unique=True,
    max_size=30,
)


@given(target=NAMES, golden=NAMES, data=st.data())
def test_comparing_lists_against_plain_sets(
    target: list[str], golden: list[str], data: st.DataObject
) -> None:
    letters = st.sampled_from(("0" * 32, "1" * 32))
    mine = {name: data.draw(letters) for name in target}
    theirs = {name: data.draw(letters) for name in golden}
    # A file that both have under its full name fixes the folders; else some other pair may fit better.
    mine |= {f"z/{n}.x": "" for n in range(60)}
    theirs |= {f"z/{n}.x": "" for n in range(60)}
    found = compare_lists(
        file_list(*mine, digests=tuple(mine.values())), file_list(*theirs, digests=tuple(theirs.values()))
    )
    both = mine.keys() & theirs.keys()
    assert set(found.missing) == theirs.keys() - mine.keys()
    assert set(found.extra) == mine.keys() - theirs.keys()
    assert {row.target_name for row in found.changed} == {name for name in both if mine[name] != theirs[name]}
    assert set(found.unchecked) == {name for name in both if not mine[name]}
    mine_order = [name for name in mine if name in both]
    their_order = [name for name in theirs if name in both]
    wrong = [index for index, pair in enumerate(zip(mine_order, their_order)) if pair[0] != pair[1]]
    assert found.moved == len(wrong)
    assert [parting.position - 1 for parting in found.partings] == wrong[:20]


@given(names=st.lists(st.from_regex(r"[a-c]{1,2}/[x-z][0-9]{1,2}", fullmatch=True), min_size=1, unique=True))
def test_other_roots_are_laid_on_each_other(names: list[str]) -> None:
    for mine, theirs in (("/data/set/", "/mnt/disk3/"), ("./", "C:/d/"), ("/a/b/c/", ""), ("", "x/")):
        found = compare_lists(
            file_list(*(mine + name for name in names)), file_list(*(theirs + name for name in names))
        )
        assert (len(found.common), found.missing, found.extra) == (len(names), (), ())
        assert not found.partings


def test_data_on_two_disks_and_a_moved_file() -> None:
    train = [f"train/{n}.bin" for n in range(8)]
    valid = [f"valid/v{n}.bin" for n in range(4)]
    target = [f"/disk1/{name}" for name in train] + [f"/disk2/{name}" for name in valid]
    golden = [f"/data/{name}" for name in train + valid]
    assert compare_lists(file_list(*target), file_list(*golden)).same_files
    moved = [name.replace("train/3", "valid/3") for name in train + valid]
    found = compare_lists(file_list(*moved), file_list(*train, *valid))
    assert (found.extra, found.missing) == (("valid/3.bin",), ("train/3.bin",))


def test_many_folders_with_files_of_one_name() -> None:
    names = [f"shard{n}/data.bin" for n in range(300)]
    found = compare_lists(
        file_list(*(f"/mnt/t/{name}" for name in names)), file_list(*(f"/g/{name}" for name in names[1:]))
    )
    assert (found.extra, found.missing) == (("/mnt/t/shard0/data.bin",), ())


def test_repetitions_and_sizes() -> None:
    found = compare_lists(file_list("a", "b", "a", "c"), file_list("a", "b", "c"))
    assert (found.target_repeated, found.read_otherwise, found.same_files) == (("a",), ("a",), False)
    found = compare_lists(file_list("a", "b", sizes=(3, -1)), file_list("a", "b", sizes=(4, 7)))
    assert [(row.target_name, row.target, row.golden) for row in found.resized] == [("a", "3", "4")]


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (("part-1", "part-2", "part-10"), "natural"),
        (("part-1", "part-10", "part-2"), "text"),
        (("part-2", "part-10", "part-1"), "none"),
        (("a", "b"), "natural"),
        ((), "natural"),
    ],
)
def test_orders_have_names(names: tuple[str, ...], order: str) -> None:
    found: ListComparison = compare_lists(file_list(*names), file_list(*names))
    assert (found.target_order, found.golden_order) == (order, order)


SPREAD = st.dictionaries(
    st.sampled_from(("node0", "node1", "node2")), st.lists(st.sampled_from("abcdef"), max_size=5), min_size=1
)


@given(target=SPREAD, golden=SPREAD)
def test_shards_against_plain_counts(target: dict[str, list[str]], golden: dict[str, list[str]]) -> None:
    sides = [[Shard(node, tuple(names)) for node, names in side.items()] for side in (target, golden)]
    found = shard_faults(*sides, whole=tuple("abcdef"))
    for side, twice, never in (
        (target, found.target_duplicated, found.target_never_read),
        (golden, found.golden_duplicated, found.golden_never_read),
    ):
        read = [name for names in side.values() for name in names]
        assert {row.name: len(row.nodes) for row in twice} == {
            name: read.count(name) for name in read if read.count(name) > 1
        }
        assert set(never) == set("abcdef") - set(read)
    alike = list(map(set, target.values())) == list(map(set, golden.values()))
    assert alike == (not found.otherwise)
