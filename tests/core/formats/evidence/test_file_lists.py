"""Lists of files, as people and tools write them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.file_lists import file_list_of, read_file_list
from core.formats.evidence.text_kinds import read_json
from core.records.evidence import EvidenceKind, FileList


def listed(text: str, *, surely: bool = False) -> FileList:
    found = read_file_list(EvidenceFile("/x/files.txt", content=text.encode()), surely=surely)
    assert found is not None
    assert found.kinds == (EvidenceKind.FILES,)
    assert found.files is not None
    return found.files


def sizes(text: str) -> dict[str, int]:
    files = listed(text)
    return dict(zip(files.names, files.sizes.tolist()))


def test_a_path_a_line_keeps_its_order() -> None:
    files = listed("data/part-1.jsonl\ndata/part-10.jsonl\n\ndata/part-2.jsonl\n")
    assert files.names == ("data/part-1.jsonl", "data/part-10.jsonl", "data/part-2.jsonl")
    assert files.ordered
    assert files.algorithm == ""
    assert files.sizes.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("120 ./a.bin\n4096 ./sub/b.bin\n", {"./a.bin": 120, "./sub/b.bin": 4096}),
        ("a.bin 120\nsub/b.bin\t4096\n", {"a.bin": 120, "sub/b.bin": 4096}),
        ("a.bin,120\nsub/b.bin,4096\n", {"a.bin": 120, "sub/b.bin": 4096}),
        ("C:\\data\\a.bin\nC:\\data\\sub\\b.bin\n", {"C:/data/a.bin": -1, "C:/data/sub/b.bin": -1}),
        (
            "total 12\ndrwxr-xr-x 2 root root 4096 Nov 30 05:13 sub\n"
            "-rw-r--r-- 1 root root  354 Nov 30 05:13 a b.bin\n"
            "-rw-r--r-- 1 root root   10 Nov 30  2023 c.bin\n"
            "lrwxrwxrwx 1 root root 4 Nov 30 05:13 l -> a.bin\n",
            {"a b.bin": 354, "c.bin": 10},
        ),
        (
            "./sub:\n总用量 4\n-rw-r--r-- 1 root root 7 11月 30 05:13 a.bin\n",
            {"./sub/a.bin": 7},
        ),
        (
            "   131099      4 -rw-r--r--   1 root     root          354 Nov 30 05:13 ./a\\ b.bin\n"
            "   131097      4 drwxr-xr-x   2 root     root         4096 Nov 30 05:13 ./sub\n",
            {"./a b.bin": 354},
        ),
        (
            " Volume in drive C has no label.\n Volume Serial Number is 12-34\n\n Directory of C:\\data\n\n"
            "01/02/2024  10:00 AM    <DIR>          .\n01/02/2024  10:00 AM         1,234 a b.bin\n"
            "               1 File(s)          1,234 bytes\n               1 Dir(s)  1,234 bytes free\n",
            {"C:/data/a b.bin": 1234},
        ),
        (
            " 驱动器 C 中的卷没有标签。\n 卷的序列号是 12-34\n\n C:\\data 的目录\n\n"
            "2024/01/02  10:00             1,234 a.bin\n               1 个文件          1,234 字节\n",
            {"C:/data/a.bin": 1234},
        ),
    ],
    ids=["printf", "size last", "csv", "windows", "ls -l", "ls -R", "find -ls", "dir", "dir zh"],
)  # fmt: skip
def test_each_form(text: str, expected: dict[str, int]) -> None:
    assert sizes(text) == expected
    assert sizes(text.replace("\n", "\r\n")) == expected


def test_the_password_in_an_address_is_masked() -> None:
    files = listed("s3://key:pa55word@bucket/a.bin\ns3://bucket/b.bin\n", surely=True)
    assert files.names == ("s3://masked@bucket/a.bin", "s3://bucket/b.bin")


def test_what_ls_prints_tells_no_order_and_find_does() -> None:
    line = "-rw-r--r-- 1 root root 354 Nov 30 05:13 a.bin\n"
    assert not listed(f"total 4\n{line}").ordered
    assert not listed(line).ordered
    assert listed("   1      4 -rw-r--r--   1 r r  354 Nov 30 05:13 ./a.bin\n").ordered


@pytest.mark.skipif(shutil.which("find") is None, reason="needs find")
def test_against_find_and_ls(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"part-{number}.bin").write_bytes(bytes(100 * number + 1))
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x y.bin").write_bytes(b"1234")
    for command in (["find", ".", "-type", "f", "-ls"], ["find", ".", "-type", "f", "-printf", "%s %p\\n"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=True, text=True)
        assert sizes(done.stdout) == {
            "./part-0.bin": 1, "./part-1.bin": 101, "./part-2.bin": 201, "./sub/x y.bin": 4,
        }  # fmt: skip
    done = subprocess.run(["ls", "-l"], cwd=tmp_path, capture_output=True, check=True, text=True)
    assert sizes(done.stdout) == {"part-0.bin": 1, "part-1.bin": 101, "part-2.bin": 201}


DIGEST = "d41d8cd98f00b204e9800998ecf8427e"


@pytest.mark.parametrize(
    ("value", "names", "size", "digest"),
    [
        ({"files": ["b.bin", "a.bin"]}, ("b.bin", "a.bin"), -1, ""),
        (["b.bin", "a.bin"], ("b.bin", "a.bin"), -1, ""),
        ([{"path": "b.bin", "size": 7, "md5": DIGEST}], ("b.bin",), 7, DIGEST),
        ({"files": [{"name": "b.bin", "bytes": 7}]}, ("b.bin",), 7, ""),
        ({"data/b.bin": DIGEST}, ("data/b.bin",), -1, DIGEST),
    ],
)
def test_json(value: object, names: tuple[str, ...], size: int, digest: str) -> None:
    found = read_json(EvidenceFile("/x/files.json", content=json.dumps(value).encode()))
    assert found is not None
    assert found.files is not None
    assert found.files.names == names
    assert found.files.sizes[0] == size
    assert found.files.digests[0] == digest
    assert found.files.algorithm == ("md5" if digest else "")
    assert (EvidenceKind.CHECKSUMS in found.kinds) == bool(digest)


@pytest.mark.parametrize("value", [{"lr": 1}, [], [1, 2], {"files": [1]}, {"a": "b"}, 3, None, [{"x": 1}]])
def test_other_json_is_none(value: object) -> None:
    assert file_list_of(value, EvidenceFile("/x/a.json")) is None


@pytest.mark.parametrize(
    "text",
    [
        "hello world this is prose\nand more of it\n",
        "lr = 1\nx: 2\n",
        "just\nsome\nwords\n",
        "loss 1.5\nloss 1.4\n",
    ],
)
def test_other_texts_are_none_unless_they_surely_are_lists(text: str) -> None:
    assert read_file_list(EvidenceFile("/x/a.txt", content=text.encode())) is None
    assert len(listed("just\nsome\nwords\n", surely=True).names) == 3


@given(st.binary(max_size=300))
def test_random_bytes_never_raise(raw: bytes) -> None:
    read_file_list(EvidenceFile("/x/a.txt", content=raw))
    read_file_list(EvidenceFile("/x/a.txt", content=raw), surely=True)
