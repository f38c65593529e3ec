"""The command line as a script or a person uses it: arguments in, JSON, text and exit status out."""

from __future__ import annotations

import csv
import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from core.cli.main import main
from core.match.mapping_files import save_pairs
from core.records.notes import Notes
from core.store.notes import save_notes
from core.store.results import load_cells, load_info
from tests.builders.dumps import call, write_dump

X = np.arange(12, dtype=np.float32).reshape(3, 4) + 1
STACK = ["File /train/model.py, line 12, in forward, \n return F.linear(x)"]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two runs of two ranks and two steps; on rank 1 of step 1 an output differs."""
    for side in ("target", "golden"):
        for step in (0, 1):
            for rank in (0, 1):
                wrong = 1.5 if (side, step, rank) == ("target", 1, 1) else 1.0
                calls = {
                    "Functional.linear.0.forward": call([X, X[0]], [X * 2]),
                    "Functional.gelu.0.forward": call([X * 2], [X * wrong], {"approximate": "none"}),
                }
                write_dump(
                    tmp_path / side / f"step{step}" / f"rank{rank}",
                    calls,
                    tensors=True,
                    stacks={"Functional.linear.0.forward": STACK},
                )
    return tmp_path / "target", tmp_path / "golden"


def test_info(run: Run, pair: tuple[Path, Path]) -> None:
    status, out, _ = run("info", pair[0], "--json")
    facts = json.loads(out)
    assert status == 0
    assert (facts["format"], facts["framework"], facts["evidence"]) == ("msprobe", "pytorch", "full")
    assert (facts["steps"], facts["ranks"]) == ([0, 1], [0, 1])
    assert (facts["operators"], facts["slots"]) == (8, 24)
    assert facts["problems"] == []
    status, out, _ = run("info", pair[0])
    assert status == 0
    assert "msprobe" in out


def test_info_of_one_operator_shows_slots_and_stack(run: Run, pair: tuple[Path, Path]) -> None:
    status, out, _ = run("info", pair[0] / "step0" / "rank0", "--operator", "Functional.linear.0.forward")
    assert status == 0
    for part in (
        "input.0",
        "input.1",
        "output.0",
        "float32",
        "3×4",
        "/train/model.py:12 forward",
        "return F.linear(x)",
    ):
        assert part in out
    _, out, _ = run("info", pair[0], "--operator", "*.gelu.*", "--json")
    calls = json.loads(out)
    assert [(item["step"], item["rank"]) for item in calls] == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert calls[0]["slots"][1] == {
        "slot": "input.approximate",
        "kind": "argument",
        "type": "str",
        "value": '"none"',
    }
    status, _, err = run("info", pair[0], "--operator", "Nothing")
    assert status == 2
    assert "Nothing" in err


def test_compare_says_what_differs(run: Run, pair: tuple[Path, Path]) -> None:
    status, out, _ = run("compare", *pair, "--json")
    found = json.loads(out)
    assert status == 1
    assert found["counts"] == {"equal": 23, "close": 0, "not_compared": 0, "golden_invalid": 0, "differs": 1}
    assert len(found["rows"]) == 24
    (row,) = [row for row in found["rows"] if row["verdict"] == "differs"]
    assert (row["operator"], row["golden_operator"], row["slot"]) == (
        "Functional.gelu.0.forward",
        "Functional.gelu.0.forward",
        "output.0",
    )
    assert (row["step"], row["rank"], row["evidence"], row["origin"]) == (1, 1, "full", "introduced")
    assert row["metrics"]["relative_l2"] == pytest.approx(0.5)
    assert row["metrics"]["cosine"] == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("words", "status"),
    [(("--step", "0"), 0), (("--step", "1"), 1), (("--rank", "0"), 0), (("--step", "0-1", "--rank", "1"), 1)],
)
def test_exit_status_follows_the_chosen_cells(
    run: Run, pair: tuple[Path, Path], words: tuple[str, ...], status: int
) -> None:
    assert run("compare", *pair, *words, "--quiet")[0] == status


def test_compare_as_msprobe_users_type_it(run: Run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    out = tmp_path / "out"
    status, _, _ = run("-tp", pair[0], "-gp", pair[1], "-o", out)
    assert status == 1
    names = sorted(str(path.relative_to(out)) for path in out.rglob("*.csv"))
    assert len(names) == 4
    assert all(name.startswith(("step0/compare_result_rank", "step1/compare_result_rank")) for name in names)


def test_reports_hold_the_same(run: Run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    for name in ("r.csv", "r.xlsx", "r.json", "r.h5"):
        assert run("compare", *pair, "-o", tmp_path / name)[0] == 1
        assert (tmp_path / name).exists()
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as stream:
        lines = list(csv.reader(stream))
    book = openpyxl.load_workbook(tmp_path / "r.xlsx", read_only=True)
    sheet = [[cell.value for cell in row] for row in book.worksheets[0].iter_rows()]
    book.close()
    assert sheet[0] == lines[0]
    assert len(sheet) == len(lines) == 25
    column = lines[0].index("MaxAbsErr")
    assert [float(line[column]) for line in lines[1:] if line[column][0].isdigit()] == [
        row[column] for row in sheet[1:] if not isinstance(row[column], str)
    ]
    assert len(json.loads((tmp_path / "r.json").read_text())["rows"]) == 24
    assert sum(len(cell.rows) for cell in load_cells(tmp_path / "r.h5")) == 24
    assert load_info(tmp_path / "r.h5").target_path == str(pair[0])
    status, out, _ = run("info", tmp_path / "r.h5", "--json")
    assert status == 0
    assert json.loads(out)["counts"]["differs"] == 1


def test_nothing_in_common_is_trouble(run: Run, tmp_path: Path) -> None:
    write_dump(tmp_path / "a", {"Torch.f.0.forward": call([X], [X])})
    write_dump(tmp_path / "b", {"Torch.g.0.forward": call([X], [X])})
    status, out, _ = run("compare", tmp_path / "a", tmp_path / "b", "--json")
    assert status == 2
    assert sorted(row["reason"] for row in json.loads(out)["rows"]) == ["golden_only", "target_only"]


def test_empty_tensors_do_not_spoil_the_status(run: Run, tmp_path: Path) -> None:
    for side in ("a", "b"):
        write_dump(tmp_path / side, {"Torch.f.0.forward": call([X], [np.zeros((0, 3), np.float32)])})
    assert run("compare", tmp_path / "a", tmp_path / "b")[0] == 0


def test_cells_of_one_side_are_named(run: Run, pair: tuple[Path, Path], tmp_path: Path) -> None:
    (pair[1] / "step1" / "rank0").rename(tmp_path / "away")
    status, _, err = run("compare", *pair, "--rank", "0")
    assert status == 1  # what was not compared does not count as good
    assert "step1/rank0" in err


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "nowhere", "neither"),
        ("compare", "nowhere"),
        ("info", "nowhere"),
        ("pack", "nowhere", "-o", "x.h5"),
    ],
)
def test_trouble_names_the_path_on_stderr(
    run: Run, words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, out, err = run(*words)
    assert status == 2
    assert out == ""
    assert "nowhere" in err


def test_tensors(run: Run, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    np.save(tmp_path / "b.npy", X * 2)
    status, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "a.npy", "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "equal")
    status, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy", "--json")
    found = json.loads(out)
    assert (status, found["verdict"], found["reason"], found["evidence"]) == (
        1,
        "differs",
        "beyond_noise",
        "full",
    )
    assert found["metrics"]["max_abs"] == 12.0
    np.savez(tmp_path / "a.npz", one=X, two=X)
    np.savez(tmp_path / "b.npz", one=X, three=X)
    status, out, _ = run("tensors", tmp_path / "a.npz", tmp_path / "b.npz", "--json")
    found = json.loads(out)
    assert status == 1
    assert [(item["name"], item["verdict"], item["reason"]) for item in found["tensors"]] == [
        ("one", "equal", "identical"),
        ("two", "not_compared", "target_only"),
        ("three", "not_compared", "golden_only"),
    ]
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY")
    status, out, _ = run("tensors", tmp_path / "bad.npy", tmp_path / "b.npy", "--json")
    assert status == 2
    assert "bad.npy" in json.loads(out)["problems"][0]


def test_raw_two_byte_elements_are_asked_for_never_guessed(run: Run, tmp_path: Path) -> None:
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, X.view(np.uint16)[:, ::2].copy().view("V2"))
    status, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy", "--json")
    assert (status, json.loads(out)["reason"]) == (2, "unknown_dtype")
    status, out, _ = run("tensors", tmp_path / "a.npy", tmp_path / "b.npy", "--json", "--dtype", "bfloat16")
    assert (status, json.loads(out)["target"]) == (0, "bfloat16 [3, 4]")


def test_demo_prints_its_summary_and_ends_well(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    status, out, _ = run("demo")
    assert status == 0
    assert "differs" in out


def test_chinese(run: Run, pair: tuple[Path, Path]) -> None:
    _, out, _ = run("compare", *pair, "--language", "zh_CN")
    assert "有差异" in out


def test_json_is_ascii_whatever_the_names(run: Run, tmp_path: Path) -> None:
    name = "Module.网络.\udcff.forward.0"
    for side in ("a", "b"):
        write_dump(tmp_path / side, {name: call([X], [X])})
    status, out, _ = run("compare", tmp_path / "a", tmp_path / "b", "--json")
    assert status == 0
    assert out.isascii()
    assert json.loads(out)["rows"][0]["operator"] == name


def test_a_closed_pipe_is_no_crash(pair: tuple[Path, Path]) -> None:
    command = f"{sys.executable} -m core.cli.main compare {pair[0]} {pair[1]} --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_formulas_do_not_reach_a_spreadsheet(run: Run, tmp_path: Path) -> None:
    arguments = ["=cmd|x!A1", "@foo", "-1.5e-3", "+2", "-1", 'a,"b"\nc']
    for side in ("a", "b"):
        write_dump(tmp_path / side, {"=SUM(A1).0.debug": {}, "Torch.f.0.forward": call([X, *arguments], [X])})
    run("compare", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "r.csv")
    with (tmp_path / "r.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    cells = {row["NPU Name"]: row["NPU max"] for row in rows}
    assert cells["Torch.f.0.forward.input.1"] == "'=cmd|x!A1"
    assert cells["Torch.f.0.forward.input.2"] == "'@foo"
    assert [cells[f"Torch.f.0.forward.input.{index}"] for index in (3, 4, 5)] == ["-1.5e-3", "+2", "-1"]
    assert cells["Torch.f.0.forward.input.6"] == 'a,"b"\nc'
    assert "'=SUM(A1).0.debug" in cells


@pytest.mark.parametrize("name", ["/dev/null", "pipe"])
def test_devices_and_pipes_are_not_replaced(
    run: Run, pair: tuple[Path, Path], tmp_path: Path, name: str
) -> None:
    place = tmp_path / name
    if name == "pipe":
        os.mkfifo(place)
    elif not place.is_char_device():
        pytest.skip("no such device here")
    for words in (("compare", *pair, "-o", place), ("pack", pair[0], "-o", place)):
        status, _, err = run(*words)
        assert status == 2
        assert str(place) in err
    assert not place.is_file()


@pytest.mark.parametrize(
    "name", ["dump.json", "stack.json", "dump_tensor_data/Functional.gelu.0.forward.output.0.npy"]
)
def test_the_dumps_are_never_overwritten(run: Run, pair: tuple[Path, Path], name: str) -> None:
    place = pair[0] / "step0" / "rank0" / name
    before = place.read_bytes()
    for words in (("compare", *pair, "-o", place), ("pack", pair[0], "-o", place)):
        status, _, err = run(*words)
        assert status == 2
        assert str(place) in err
    assert place.read_bytes() == before


def test_an_input_that_is_one_file_is_not_overwritten(
    run: Run, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    packed = tmp_path / "packed.h5"
    assert run("pack", pair[0], "-o", packed)[0] == 0
    before = packed.read_bytes()
    assert run("compare", packed, pair[1], "-o", packed)[0] == 2
    assert packed.read_bytes() == before


@pytest.mark.parametrize("name", ["r.html", "r.txt", ""])
def test_outputs_that_cannot_be_meant_are_refused(
    run: Run, pair: tuple[Path, Path], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    assert run("compare", *pair, "-o", name)[0] == 2
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("name", ["r.csv", "r.xlsx", "r.json", "r.h5", "p.h5"])
def test_a_full_or_closed_disk_names_the_file_and_leaves_nothing(
    run: Run, pair: tuple[Path, Path], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "out"
    folder.mkdir()

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)  # the last thing every writer does
    words = ("pack", pair[0]) if name == "p.h5" else ("compare", *pair)
    status, _, err = run(*words, "-o", folder / name)
    assert status == 2
    assert f"{folder / name}: No space left" in err
    assert list(folder.iterdir()) == []


def test_lone_surrogates_reach_every_report(run: Run, tmp_path: Path) -> None:
    for side in ("a", "b"):
        write_dump(tmp_path / side, {"Module.\udcff.forward.0": call([X, "\ud800"], [X])})
    for name in ("r.csv", "r.xlsx", "r.json", "r.h5"):
        assert run("compare", tmp_path / "a", tmp_path / "b", "-o", tmp_path / name)[0] == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("copmare", "a", "b"), "copmare"),
        (("compare", "A", "B", "-tp", "X"), "one path too many"),
        (("compare",), "TARGET and GOLDEN are missing"),
        (("compare", "A"), "only A was given"),
        (("tensors", "a.npy", "b.npy", "--dtype", "foo"), "foo"),
    ],
)
def test_slips_are_explained(run: Run, words: tuple[str, ...], said: str) -> None:
    status, _, err = run(*words)
    assert status == 2
    assert said in err


@pytest.mark.parametrize("numbers", ["3-1", "x", "1,,2", ""])
def test_numbers_that_are_none_are_refused(
    run: Run, pair: tuple[Path, Path], numbers: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run("compare", *pair, "--step", numbers)
    assert ended.value.code == 2
    assert "no list of numbers" in capsys.readouterr().err


def test_a_step_that_nobody_has_is_told(run: Run, pair: tuple[Path, Path]) -> None:
    status, _, err = run("compare", *pair, "--step", "0,7")
    assert status == 1
    assert "step7" in err


def test_the_language_may_stand_anywhere(
    run: Run, pair: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert "有差异" in run("--language", "zh_CN", "compare", *pair)[1]
    with pytest.raises(SystemExit):
        main(["compare", "--help", "--language=zh_CN"])
    assert "比较两次运行" in capsys.readouterr().out


def test_no_display_is_told_before_qt_aborts(
    run: Run, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    if sys.platform != "linux":
        pytest.skip("only Linux has machines without a display")
    status, _, err = run(*pair)
    assert status == 2
    assert "no display" in err


def test_diagnose_tells_what_is_wrong_with_the_dumps(run: Run, tmp_path: Path) -> None:
    calls = {"Functional.linear.0.forward": call([X], [X])}
    for name in ("target", "golden"):
        write_dump(tmp_path / name, calls, tensors=True)
    lost = next((tmp_path / "target").rglob("*.npy"), None) or next((tmp_path / "target").rglob("*.pt"))
    lost.unlink()
    _, out, err = run("diagnose", tmp_path / "target", tmp_path / "golden", "--no-cache")
    assert lost.name in err
    _, out, _ = run("diagnose", tmp_path / "target", tmp_path / "golden", "--no-cache", "--json")
    assert any(lost.name in sentence for sentence in json.loads(out)["problems"])


def test_a_mapping_on_the_command_line_comes_before_pairs_made_by_hand(run: Run, tmp_path: Path) -> None:
    calls = {f"Functional.relu.{number}.forward": call([X], [X + number]) for number in range(3)}
    for name in ("target", "golden"):
        write_dump(tmp_path / name, calls)
    runs = (str(tmp_path / "target"), str(tmp_path / "golden"))
    first, second = "Functional.relu.0.forward", "Functional.relu.1.forward"
    save_notes(*runs, Notes(pairs={first: second}))
    mapping = tmp_path / "pairs.json"
    save_pairs(mapping, {first: first})

    def partner(*words: str) -> str:
        _, out, _ = run("compare", *runs, "--no-cache", "--json", *words)
        (found,) = {row["golden_operator"] for row in json.loads(out)["rows"] if row["operator"] == first}
        return str(found)

    assert partner() == second
    assert partner("--mapping", str(mapping)) == first


def test_a_mapping_file_that_cannot_be_read_is_trouble(run: Run, pair: tuple[Path, Path]) -> None:
    for command in ("compare", "diagnose"):
        status, _, err = run(command, *pair, "--mapping", pair[0] / "no such mapping.yaml")
        assert status == 2
        assert "no such mapping.yaml" in err


def test_pairs_made_by_hand_are_announced(run: Run, pair: tuple[Path, Path]) -> None:
    assert "by hand" not in run("diagnose", *pair)[2]
    save_notes(str(pair[0]), str(pair[1]), Notes(pairs={"Torch.a.0.forward": "Torch.b.0.forward"}))
    assert "1 pair made by hand" in run("diagnose", *pair)[2]


def test_diagnose_says_where_the_golden_is_invalid(run: Run, tmp_path: Path) -> None:
    write_dump(tmp_path / "target", {"Torch.exp.0.forward": call([X], [X])})
    write_dump(tmp_path / "golden", {"Torch.exp.0.forward": call([X], [X * np.float32(np.nan)])})
    status, out, _ = run("diagnose", tmp_path / "target", tmp_path / "golden")
    assert status == 1
    assert "first in Torch.exp.0.forward" in out


@pytest.mark.parametrize("name", ["dump.json", "stack.json", "construct.json", "debug.json"])
def test_no_report_takes_the_name_of_a_dump(run: Run, pair: tuple[Path, Path], name: str) -> None:
    place = pair[0].parent / "elsewhere" / name
    assert run("compare", *pair, "-o", place)[0] == 2
    assert not place.parent.exists()
