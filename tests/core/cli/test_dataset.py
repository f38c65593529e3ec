"""``ulpscope dataset`` as a script or a person uses it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    root = tmp_path / "data"
    for name in ("a.bin", "sub/b.bin", "sub/c d.bin"):
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(name.encode())
    return root


def test_a_list_is_written_and_compared(run: Run, tmp_path: Path, data: Path) -> None:
    target, golden = tmp_path / "target.md5", tmp_path / "golden.md5"
    status, out, err = run("dataset", "checksums", data, "-o", target)
    assert (status, err) == (0, "")
    assert out == f"3 files listed (md5): {target}\n"
    digest = hashlib.md5(b"a.bin").hexdigest()
    assert target.read_text().splitlines()[0] == f"{digest}  a.bin"
    assert not Path(f"{target}.partial").exists()
    copy = tmp_path / "elsewhere" / "copy"
    shutil.copytree(data, copy)
    assert run("dataset", "checksums", copy, "-o", golden, "--json")[0] == 0
    status, out, _ = run("dataset", "compare", target, golden)
    assert (status, out.splitlines()[-1]) == (0, "The md5 of 3 files was compared.")
    (copy / "sub" / "b.bin").write_bytes(b"other")
    (copy / "new.bin").write_bytes(b"new")
    (copy / "a.bin").unlink()
    run("dataset", "checksums", copy, "-o", golden)
    status, out, _ = run("dataset", "compare", target, golden, "--json")
    said = json.loads(out)
    assert (status, said["missing"], said["extra"]) == (1, ["new.bin"], ["a.bin"])
    assert [row["name"] for row in said["changed"]] == ["sub/b.bin"]
    status, out, _ = run("dataset", "compare", target, golden)
    assert "1 file is missing on the target:\n  new.bin" in out


@pytest.mark.parametrize("algorithm", ["sha1", "sha256", "sha512"])
def test_algorithms(run: Run, tmp_path: Path, data: Path, algorithm: str) -> None:
    for name, kind in (("one", algorithm), ("two", "md5")):
        status, out, _ = run(
            "dataset", "checksums", data, "-o", tmp_path / name, "--algorithm", kind, "--json"
        )
        assert (status, json.loads(out)["algorithm"], json.loads(out)["files"]) == (0, kind, 3)
    status, out, _ = run("dataset", "compare", tmp_path / "one", tmp_path / "two")
    assert status == 1  # what is not compared is no pass
    assert "checksums of different algorithms do not compare" in out


def test_sizes_alone_and_folders(run: Run, tmp_path: Path, data: Path) -> None:
    place = tmp_path / "sizes"
    assert run("dataset", "checksums", data, "-o", place, "--algorithm", "none")[0] == 0
    assert place.read_text().splitlines()[:2] == ["total 25", "5 a.bin"]
    assert run("dataset", "compare", place, data)[0] == 0
    (data / "a.bin").write_bytes(b"longer than before")
    status, out, _ = run("dataset", "compare", place, data)
    assert (status, "a.bin  5 / 18" in out) == (1, True)


def test_the_order_counts_where_it_is_asked_for(run: Run, cases: Path) -> None:
    folder = cases / "precheck" / "C67_file_order"
    lists = folder / "tgt.json", folder / "gold.json"
    assert run("dataset", "compare", *lists)[0] == 0
    status, out, _ = run("dataset", "compare", *lists, "--order", "--json")
    first = {"position": 1, "target": "part-2.jsonl", "golden": "part-1.jsonl"}
    assert (status, json.loads(out)["order"]["first"]) == (1, first)
    assert run("dataset", "compare", lists[0], lists[0], "--order")[0] == 0


def test_shards(run: Run, cases: Path) -> None:
    folder = cases / "precheck" / "C73_shards"
    expected = json.loads((folder / "expect.json").read_text())
    status, out, _ = run("dataset", "shards", folder / "tgt.json", "--golden", folder / "gold.json", "--json")
    said = json.loads(out)
    assert (status, [row["name"] for row in said["duplicated"]]) == (1, expected["duplicated"])
    assert said["never_read"] == expected["never_read"]
    assert run("dataset", "shards", folder / "gold.json")[0] == 0


def test_a_list_for_each_node(run: Run, tmp_path: Path) -> None:
    for name, text in (
        ("n0", "/d/a.bin\n/d/c.bin\n"),
        ("n1", "/d/c.bin\n"),
        ("all", "a.bin\nb.bin\nc.bin\n"),
    ):
        (tmp_path / f"{name}.txt").write_text(text)
    nodes = tmp_path / "n0.txt", tmp_path / "n1.txt"
    status, out, _ = run("dataset", "shards", *nodes, "--all", tmp_path / "all.txt")
    assert status == 1
    assert out.splitlines() == [
        "1 file is read more than once on the target:",
        "  /d/c.bin  (n0, n1)",
        "1 file is never read on the target:",
        "  b.bin",
    ]


def test_trouble(run: Run, tmp_path: Path, data: Path) -> None:
    (tmp_path / "nothing.txt").write_text("")
    (tmp_path / "list.txt").write_text("a.bin\n")
    for words in (
        ("checksums", tmp_path / "absent", "-o", tmp_path / "out"),
        ("checksums", data, "-o", tmp_path),
        ("compare", tmp_path / "absent", tmp_path / "list.txt"),
        ("compare", tmp_path / "list.txt", tmp_path / "nothing.txt"),
        ("shards", tmp_path / "nothing.txt"),
    ):
        status, out, err = run("dataset", *words)
        assert (status, out) == (2, ""), words
        assert err.startswith("ulpscope: ")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes in folders")
def test_what_cannot_be_listed_is_trouble_and_costs_itself(run: Run, tmp_path: Path, data: Path) -> None:
    os.mkfifo(data / "pipe")
    status, out, err = run("dataset", "checksums", data, "-o", tmp_path / "list", "--json")
    assert (status, json.loads(out)["files"], len(json.loads(out)["problems"])) == (2, 3, 1)
    assert "pipe is no plain file" in err
    assert run("dataset", "checksums", data, "-o", tmp_path / "list", "--quiet")[2] == ""


@pytest.mark.parametrize("links", [1, 300])
def test_links_out_of_the_folder_are_told_and_cost_nothing(
    run: Run, tmp_path: Path, data: Path, links: int
) -> None:
    (tmp_path / "outside.bin").write_bytes(b"x")
    for number in range(links):
        (data / f"link{number}.bin").symlink_to(tmp_path / "outside.bin")
    status, out, err = run("dataset", "checksums", data, "-o", tmp_path / "list", "--json")
    assert (status, json.loads(out)["files"]) == (0, 3)
    assert "link0.bin" in err
    (data / "broken").symlink_to(data / "absent")
    assert run("dataset", "checksums", data, "-o", tmp_path / "list")[0] == 2


def test_checksums_tell_no_order(run: Run, tmp_path: Path) -> None:
    names = "a.bin", "b.bin", "c.bin"
    lines = [f"{hashlib.md5(name.encode()).hexdigest()}  {name}\n" for name in names]
    (tmp_path / "one.md5").write_text("".join(lines))
    (tmp_path / "two.md5").write_text("".join(reversed(lines)))
    lists = tmp_path / "one.md5", tmp_path / "two.md5"
    assert run("dataset", "compare", *lists)[0] == 0
    status, out, _ = run("dataset", "compare", *lists, "--order")
    assert (status, "does not tell the order" in out) == (2, True)
    said = json.loads(run("dataset", "compare", *lists, "--order", "--json")[1])["order"]
    assert (said["told"], said["same"], said["moved"], said["first"]) == (False, None, None, None)


def test_without_a_list_of_all_files_it_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "nodes.json").write_text('{"node0": ["a.bin", "b.bin"], "node1": ["c.bin"]}')
    (tmp_path / "all.txt").write_text("a.bin\nb.bin\nc.bin\n")
    status, out, _ = run("dataset", "shards", tmp_path / "nodes.json")
    assert (status, "--all" in out.splitlines()[-1]) == (0, True)
    _, out, _ = run("dataset", "shards", tmp_path / "nodes.json", "--all", tmp_path / "all.txt")
    assert "--all" not in out


def test_resuming_reads_only_what_is_not_known(run: Run, tmp_path: Path, data: Path) -> None:
    place = tmp_path / "list"
    partial = Path(f"{place}.partial")
    partial.mkdir()
    facts = (data / "a.bin").stat()
    (partial / "algorithm").write_bytes(b"ulpscope checksums 1 md5\n")
    (partial / "0.digests").write_text(f"{'7' * 32} {facts.st_size} {facts.st_mtime_ns} a.bin\n{'8' * 9}")
    status, out, _ = run("dataset", "checksums", data, "-o", place, "--resume", "--json")
    assert (status, json.loads(out)["kept"]) == (0, 1)
    assert place.read_text().splitlines()[0] == f"{'7' * 32}  a.bin"
    assert not partial.exists()


def test_a_list_does_not_list_itself(run: Run, data: Path) -> None:
    place = data / "list.md5"
    for _ in range(2):
        assert run("dataset", "checksums", data, "-o", place)[0] == 0
        assert len(place.read_text().splitlines()) == 3
