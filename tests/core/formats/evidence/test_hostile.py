"""Files that mean harm, or cannot be read: a problem that names them, nothing run, no hang."""

from __future__ import annotations

import gzip
import io
import os
import pickle
import stat
import struct
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.formats.evidence.archive import MOST_BYTES
from core.formats.evidence.checksums import read_checksums
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.facts import read_facts
from core.formats.evidence.file_lists import read_file_list
from core.formats.evidence.read import evidence_beside, read_evidence
from core.formats.evidence.shards import read_shards
from core.progress import run_to_end
from core.records.evidence import Evidence, EvidenceKind, Given


def read(path: Path | str, kind: EvidenceKind | None = None) -> tuple[Evidence, ...]:
    return run_to_end(read_evidence(Given(str(path), kind)))


def codes(path: Path | str, kind: EvidenceKind | None = None) -> list[str]:
    found = read(path, kind)
    for item in found:
        for problem in item.problems:
            assert problem.sentence("en")
            assert not problem.sentence("en").startswith("problem.")
            assert not problem.sentence("zh_CN").startswith("problem.")
    return [problem.code for item in found for problem in item.problems]


ENV = '{"PATH": "/bin", "SEED": "1"}'


def packed(path: Path, members: dict[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(zipfile.ZipInfo(name), content)
    return path


def kinds(path: Path) -> set[EvidenceKind]:
    return {kind for item in read(path) for kind in item.kinds}


@pytest.mark.parametrize(
    "name", ["../evil", "/etc/evil", "a/../../evil", "C:evil", "C:\\evil", "a\\..\\evil"]
)
def test_a_name_that_leads_out_is_refused_and_the_rest_counts(tmp_path: Path, name: str) -> None:
    inside = tmp_path / "inside"
    inside.mkdir()
    path = packed(inside / "a.zip", {name: ENV, "env": ENV, "pip": "numpy=1.26\n"})
    assert codes(path) == ["archive_unsafe_name"]
    assert kinds(path) == {EvidenceKind.ENVIRONMENT, EvidenceKind.PACKAGES}
    assert [item.name for item in tmp_path.rglob("*")] == ["inside", "a.zip"]


def test_a_link_in_an_archive_is_refused(tmp_path: Path) -> None:
    info = zipfile.ZipInfo("weights")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as made:
        made.writestr(info, "/etc/passwd")
        made.writestr("env", ENV)
    assert codes(tmp_path / "a.zip") == ["archive_link"]
    assert kinds(tmp_path / "a.zip") == {EvidenceKind.ENVIRONMENT}


def test_an_archive_in_an_archive_is_refused(tmp_path: Path) -> None:
    inner = packed(tmp_path / "inner.zip", {"env": ENV}).read_bytes()
    path = packed(tmp_path / "a.zip", {"inner.zip": inner, "env": ENV})
    assert codes(path) == ["archive_nested"]


def test_a_bomb_is_refused_before_it_unpacks(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as made:
        with made.open("weights/step0/rank0/weight.json", "w", force_zip64=True) as stream:
            for _ in range(80):
                stream.write(bytes(1 << 20))
        made.writestr("env", ENV)
    tracemalloc.start()
    assert codes(tmp_path / "a.zip") == ["archive_bomb"]
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()
    assert kinds(tmp_path / "a.zip") == {EvidenceKind.ENVIRONMENT}


def test_a_bomb_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"env": bytes(8 << 20)})
    raw = bytearray(path.read_bytes())
    for mark, at in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        start = raw.index(mark) + at
        raw[start : start + 4] = struct.pack("<I", 100)
    path.write_bytes(raw)
    assert MOST_BYTES > 8 << 20
    tracemalloc.start()
    assert codes(path) in (["zip_broken"], ["archive_bomb"])
    assert tracemalloc.get_traced_memory()[1] < 16 << 20
    tracemalloc.stop()


def test_an_encrypted_member_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"env": ENV})
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(raw)
    assert codes(path) == ["archive_encrypted"]


def test_a_member_that_is_not_what_its_name_says(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"env": "[1, 2", "pip": "numpy=1.26\n", "random/rank0.json": "[]"})
    assert codes(path) == ["archive_member_broken"] * 2
    assert kinds(path) == {EvidenceKind.PACKAGES}


def test_a_cut_archive(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"env": ENV})
    path.write_bytes(path.read_bytes()[:-30])
    assert codes(path) == ["zip_no_directory"]


class Touch:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> object:
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("ending", [".pt", ".bin", ".ckpt", ".pkl", ".txt"])
def test_a_pickle_that_would_run_something_runs_nothing(tmp_path: Path, ending: str) -> None:
    witness = tmp_path / "touched"
    raw = pickle.dumps({"model": Touch(str(witness))}, protocol=2)
    bare, saved = tmp_path / f"bare{ending}", tmp_path / f"saved{ending}"
    bare.write_bytes(raw)
    with zipfile.ZipFile(saved, "w") as made:
        made.writestr("archive/data.pkl", raw)
    assert codes(bare) == ["pickle_bare"]
    (found,) = read(saved)
    assert [problem.code for problem in found.problems] == ["pickle_refused"]
    assert "posix.system" in found.problems[0].sentence("en")
    assert not witness.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    folder = tmp_path / "run"  # what other tests leave lies above
    folder.mkdir()
    os.mkfifo(folder / "pipe.sh")
    (folder / "env.txt").write_text("PATH=/bin\nSEED=1\n")
    assert codes(folder / "pipe.sh") == ["evidence_not_a_file"]
    assert codes(folder / "pipe.sh", EvidenceKind.LOG) == ["evidence_not_a_file"]
    assert kinds(folder) == {EvidenceKind.ENVIRONMENT}
    assert run_to_end(evidence_beside(str(folder))) == (str(folder / "env.txt"),)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs a device")
def test_a_device_is_never_opened() -> None:
    assert codes("/dev/zero") == ["evidence_not_a_file"]


def test_links(tmp_path: Path) -> None:
    loop, lost, folder = tmp_path / "loop", tmp_path / "lost", tmp_path / "round"
    loop.symlink_to(loop)
    lost.symlink_to(tmp_path / "nowhere")
    folder.mkdir()
    (folder / "again").symlink_to(folder)
    (folder / "env.txt").write_text("PATH=/bin\nSEED=1\n")
    assert codes(loop) == ["not_readable"]
    assert codes(lost) == ["not_there"]
    assert len(read(folder)) == 1


def test_what_is_not_there_empty_or_forbidden(tmp_path: Path) -> None:
    (tmp_path / "empty.sh").write_bytes(b"")
    (tmp_path / "blank.sh").write_bytes(b"\n \n")
    (tmp_path / "folder").mkdir()
    assert codes(tmp_path / "none") == ["not_there"]
    assert codes(tmp_path / "empty.sh" / "x") == ["not_there"]
    assert codes("a\0b") == ["not_readable"]
    assert codes(tmp_path / "empty.sh") == ["evidence_empty"]
    assert codes(tmp_path / "blank.sh") == ["evidence_empty"]
    assert codes(tmp_path / "folder") == ["evidence_folder_empty"]
    for kind in (EvidenceKind.DUMP, EvidenceKind.PACKAGES, EvidenceKind.WEIGHTS, EvidenceKind.LOG):
        assert codes(tmp_path / "folder", kind)


def test_no_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.sh"
    file.write_text("export A=1\n")
    if os.geteuid() == 0:
        # Root may read anything: let the system say what it would say to others.
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr("core.formats.evidence.evidence_file.open_log", refuse)
    else:
        file.chmod(0)
    assert codes(file) == ["no_permission"]


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "env.txt"
    file.write_text("PATH=/bin\nSEED=1\n")
    work = read_evidence(Given(str(file)))
    next(work)
    from core.formats.evidence import read as door

    original = door.read_text

    def growing(item: object) -> object:
        found = original(item)  # type: ignore[arg-type]
        file.write_text("PATH=/bin\nSEED=1\nMORE=1\n")
        return found

    monkeypatch.setattr(door, "read_text", growing)
    (found,) = run_to_end(work)
    assert [problem.code for problem in found.problems] == ["changed_while_reading"]
    assert found.kinds == (EvidenceKind.ENVIRONMENT,)


@pytest.mark.parametrize("kind", [None, EvidenceKind.FILES])
@pytest.mark.parametrize("start", [b"{", b"d41d8cd98f00b204e9800998ecf8427e  "])
def test_a_file_of_one_line_of_a_gigabyte_is_told_at_once(
    tmp_path: Path, start: bytes, kind: EvidenceKind | None
) -> None:
    file = tmp_path / "big.txt"
    with file.open("wb") as stream:
        stream.write(start.ljust(1 << 17, b"x"))
        stream.truncate(1 << 30)
    tracemalloc.start()
    assert codes(file, kind) == ["evidence_too_large"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 << 20


def test_a_small_file_that_gunzips_to_no_end_is_told(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "a.log.gz", "wb") as stream:
        for _ in range(80):
            stream.write(b"x" * (1 << 20))
    assert codes(tmp_path / "a.log.gz") == ["evidence_too_large"]


def test_an_endless_line_after_others_takes_no_memory(tmp_path: Path) -> None:
    file = tmp_path / "big.txt"
    with file.open("wb") as stream:
        stream.write(b"PATH=/bin\nSEED=1\nLONG=" + b"x" * (1 << 20))
        stream.truncate(48 << 20)
    tracemalloc.start()
    (found,) = read(file, EvidenceKind.ENVIRONMENT)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert [item.name for item in found.environment] == ["PATH", "SEED", "LONG"]
    assert peak < 32 << 20


def test_nesting_without_end(tmp_path: Path) -> None:
    for name, text in (("a.json", '{"a":' * 100_000), ("b.json", "[" * 100_000 + "]" * 100_000)):
        (tmp_path / name).write_text(text)
        assert codes(tmp_path / name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(
    raw=st.binary(max_size=200),
    head=st.sampled_from([b"", b"PK\x03\x04", b"\x80\x02", b"\n", b"{", b"\x1f\x8b\x08"]),
    ending=st.sampled_from(["", ".sh", ".json", ".yaml", ".py", ".zip", ".pt", ".csv", ".txt"]),
)
def test_random_bytes_never_raise(tmp_path: Path, raw: bytes, head: bytes, ending: str) -> None:
    file = tmp_path / f"file{ending}"
    file.write_bytes(head + raw)
    found = read(file)
    assert found
    assert all(item.kinds or item.problems for item in found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cuts=st.lists(st.tuples(st.integers(0, 400), st.integers(0, 255)), max_size=6))
def test_a_damaged_archive_never_raises(tmp_path: Path, cuts: list[tuple[int, int]]) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("env", ENV)
        archive.writestr("pip", "numpy=1.26\n")
    raw = bytearray(made.getvalue())
    for at, byte in cuts:
        raw[at % len(raw)] = byte
    (tmp_path / "a.zip").write_bytes(raw)
    assert read(tmp_path / "a.zip")


PIECES = [
    "a", "a ", "a, ", "a.", "a=", "| ", "| 0 a ", "- ", "name, ", "rank 0 ", "node0: ", "['", "x: ", "/a",
    "d41d8cd98f00b204e9800998ecf8427e ", "0 ", "-rw-r--r-- 1 r r ", "commit ", "cd ", "@ ", "..", "\t", " ",
    "'a' ", "\\", "( ", "version", "1.", "PyTorch version: ", "MD5 hash of ", "declare -x ",
]  # fmt: skip
HEADS = [
    "", "| 0 ", "rank 0: ", "CANN ", "GPU 0: ", "name, ", "d41d8cd98f00b204e9800998ecf8427e  ",
    "torch version ",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_no_line_takes_its_reader_long(piece: str) -> None:
    """Each reader of lines gives up on a line of 64 KB, whatever it is made of, in next to no time."""
    began = time.perf_counter()
    for head in HEADS:
        line = (head + piece * 60_000)[:60_000]
        file = EvidenceFile("/x/a.txt", content=f"{line}\n{line}!\n".encode())
        for read in (read_facts, read_checksums, read_file_list, read_shards):
            read(file)
    assert time.perf_counter() - began < 3  # some 0.05 s; what grows with the square takes minutes


def test_a_tensor_that_repeats_itself_without_end_is_refused_at_once(tmp_path: Path) -> None:
    """2^40 elements by a stride of 0 over 4 stored ones: a small file that would be hashed for hours."""
    storage = b"((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x04tQ"
    sizes = b"K\x00" + b"\x8a\x06\x00\x00\x00\x00\x00\x01\x85" + b"K\x00\x85"
    tensor = b"ctorch._utils\n_rebuild_tensor_v2\n" + storage + sizes + b"\x89ccollections\nOrderedDict\n)RtR"
    path = tmp_path / "model.pt"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as made:
        made.writestr("archive/data.pkl", b"\x80\x02}X\x01\x00\x00\x00w" + tensor + b"s.")
        made.writestr("archive/data/0", bytes(16))
    (found,) = run_to_end(read_evidence(Given(str(path))))
    assert [problem.code for problem in found.problems] == ["weights_expanded"]
    assert found.weights is None
