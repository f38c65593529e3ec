"""Lists of checksums of every tool, and what md5sum escapes."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.checksums import escaped, read_checksums, unescaped
from core.formats.evidence.evidence_file import EvidenceFile
from core.records.evidence import FileList

MD5 = {name: hashlib.md5(name.encode()).hexdigest() for name in ("a", "b", "c d")}


def listed(content: str | bytes) -> FileList:
    raw = content if isinstance(content, bytes) else content.encode()
    found = read_checksums(EvidenceFile("/x/list.md5", content=raw))
    assert found is not None
    assert found.files is not None
    return found.files


def digests(content: str | bytes) -> dict[str, str]:
    files = listed(content)
    return dict(zip(files.names, files.digests))


@pytest.mark.parametrize("behind", ["(HEAD -> main) Fix the loss", "HEAD", "refs/heads/main"])
def test_a_commit_is_no_checksum(behind: str) -> None:
    text = f"0123456789abcdef0123456789abcdef01234567 {behind}\n"
    assert read_checksums(EvidenceFile("/x/git.txt", content=text.encode())) is None


@pytest.mark.parametrize("mark", [" ", "*"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_md5sum(mark: str, end: str) -> None:
    text = "".join(f"{digest} {mark}{name}{end}" for name, digest in MD5.items())
    files = listed(text)
    assert files.names == tuple(MD5)
    assert files.digests == tuple(MD5.values())
    assert files.algorithm == "md5"
    assert not files.ordered
    assert files.sizes.tolist() == [-1, -1, -1]


@pytest.mark.parametrize("algorithm", ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"])
def test_the_algorithm_is_told_by_length_or_tag(algorithm: str) -> None:
    digest = hashlib.new(algorithm, b"x").hexdigest()
    for text in (f"{digest}  data/x.bin\n", f"{algorithm.upper()} (data/x.bin) = {digest.upper()}\n"):
        files = listed(text)
        assert (files.names, files.digests, files.algorithm) == (("data/x.bin",), (digest,), algorithm)


def test_openssl() -> None:
    digest = hashlib.sha256(b"x").hexdigest()
    assert digests(f"SHA2-256(x.bin)= {digest}\n") == {"x.bin": digest}


CERTUTIL = "MD5 hash of file C:\\data\\a.bin:\n{a}\nCertUtil: -hashfile command completed successfully.\n"
CERTUTIL_OLD = "MD5 hash of C:\\data\\a.bin:\n{spaced}\nCertUtil: -hashfile command completed successfully.\n"
CERTUTIL_ZH = "MD5 的 C:\\data\\a.bin 哈希:\n{a}\nCertUtil: -hashfile 命令成功完成。\n"
CERTUTIL_ZH_OLD = "MD5 哈希(文件 C:\\data\\a.bin):\n{a}\nCertUtil: -hashfile 命令成功完成。\n"
GET_FILE_HASH = """
Algorithm       Hash                                                                   Path
---------       ----                                                                   ----
MD5             {upper}                                       C:\\data\\a.bin
"""
GET_LIST = "\nAlgorithm : MD5\nHash      : {upper}\nPath      : C:\\data\\a.bin\n\n"
GET_CSV = '"Algorithm","Hash","Path"\n"MD5","{upper}","C:\\data\\a.bin"\n'


@pytest.mark.parametrize(
    "template", [CERTUTIL, CERTUTIL_OLD, CERTUTIL_ZH, CERTUTIL_ZH_OLD, GET_FILE_HASH, GET_LIST, GET_CSV]
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_windows(template: str, encoding: str) -> None:
    digest = MD5["a"]
    spaced = " ".join(digest[at : at + 2] for at in range(0, 32, 2))
    text = template.format(a=digest, spaced=spaced, upper=digest.upper()).replace("\n", "\r\n")
    assert digests(text.encode(encoding)) == {"C:/data/a.bin": digest}
    assert listed(text.encode(encoding)).algorithm == "md5"


def test_several_blocks_of_certutil() -> None:
    text = "".join(
        f"MD5 hash of file .\\{name}:\n{digest}\nCertUtil: -hashfile command completed successfully.\n\n"
        for name, digest in MD5.items()
    )
    assert digests(text) == {f"./{name}": digest for name, digest in MD5.items()}


def test_a_name_before_its_checksum() -> None:
    assert digests(f"data/a.bin {MD5['a']}\ndata/b.bin\t{MD5['b']}\n") == {
        "data/a.bin": MD5["a"], "data/b.bin": MD5["b"],
    }  # fmt: skip
    assert digests(f'"data/a.bin",{MD5["a"]}\n') == {"data/a.bin": MD5["a"]}


def test_what_could_not_be_read_is_left_out() -> None:
    text = f"{MD5['a']}  a\nmd5sum: b: Permission denied\n{MD5['c d']}  c d\n# made on node 3\n"
    assert list(digests(text)) == ["a", "c d"]


def test_another_algorithm_among_many_is_told_and_left_out() -> None:
    sha = hashlib.sha256(b"x").hexdigest()
    found = read_checksums(EvidenceFile("/x/l", content=f"{MD5['a']}  a\n{MD5['b']}  b\n{sha}  x\n".encode()))
    assert found is not None
    assert found.files is not None
    assert found.files.digests == (MD5["a"], MD5["b"], "")
    assert [problem.code for problem in found.problems] == ["checksums_mixed"]
    assert found.problems[0].parameters["count"] == 1


def test_a_list_without_end_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.formats.evidence.file_names.MOST_FILES", 2)
    text = "".join(f"{MD5['a']}  {name}\n" for name in "abcd")
    found = read_checksums(EvidenceFile("/x/l", content=text.encode()))
    assert found is not None
    assert found.files is not None
    assert found.files.names == ("a", "b")
    assert [problem.code for problem in found.problems] == ["files_too_many"]


@pytest.mark.parametrize(
    "text", ["", "hello\nworld\n", "iteration 1 loss 2.0\n" * 300, f"see {MD5['a']}\n" * 3 + "x\n" * 9]
)
def test_other_texts_are_none(text: str) -> None:
    assert read_checksums(EvidenceFile("/x/l", content=text.encode())) is None


NAMES = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\\"), min_size=1, max_size=40
).filter(lambda name: bool(name.strip()) and name.strip() == name and "\x85" not in name)


@given(NAMES)
def test_escaping_comes_back(name: str) -> None:
    assert unescaped(escaped(name)) == name
    mark = "\\" if escaped(name) != name else ""
    assert digests(f"{mark}{MD5['a']}  {escaped(name)}\n") == {name: MD5["a"]}


@pytest.mark.skipif(shutil.which("md5sum") is None, reason="needs md5sum")
def test_against_md5sum_itself(tmp_path: Path) -> None:
    names = ["plain.bin", "with space", "back\\slash", "line\nfeed", "数据.bin", "-dash", "(paren) = x"]
    for name in names:
        (tmp_path / name).write_bytes(name.encode())
    for options in ([], ["--tag"], ["-b"]):
        done = subprocess.run(
            ["md5sum", *options, "--", *names], cwd=tmp_path, capture_output=True, check=True
        )
        assert digests(done.stdout) == {name: hashlib.md5(name.encode()).hexdigest() for name in names}


@given(st.binary(max_size=400))
def test_random_bytes_never_raise(raw: bytes) -> None:
    read_checksums(EvidenceFile("/x/l", content=raw))


def test_a_hundred_thousand_lines_take_no_time() -> None:
    text = "".join(f"{MD5['a']}  shard/part-{number:06d}.bin\n" for number in range(100_000))
    began = time.perf_counter()
    assert len(listed(text).names) == 100_000
    assert time.perf_counter() - began < 3  # some 0.4 s on an idle core
