"""Two folders of source, and the check that asks whether they are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core.formats.evidence.read import read_evidence
from core.messages import render
from core.precheck.checks.source import difference
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.source import walking
from core.precheck.source.records import Change, DifferenceOptions, TreeDifference
from core.precheck.source.trees import compare_trees
from core.progress import run_to_end
from core.records.evidence import Evidence, EvidenceKind, Given
from core.records.precheck import Outcome, Standing

FOLDED = DifferenceOptions()
BODY = "\n".join(f"    value_{line} = compute_part(number={line})" for line in range(20))


def write(folder: Path, files: dict[str, str | bytes]) -> str:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    folder.mkdir(exist_ok=True)
    return str(folder)


def trees(tmp_path: Path, target: dict[str, str | bytes], golden: dict[str, str | bytes]) -> TreeDifference:
    sides = write(tmp_path / "npu", target), write(tmp_path / "gpu", golden)
    return run_to_end(compare_trees(*sides))


def states(found: TreeDifference) -> dict[str, str]:
    return {file.name: file.state.value for file in found.files}


def test_files_are_matched_by_name_and_the_rest_is_named(tmp_path: Path) -> None:
    found = trees(
        tmp_path,
        {
            "a.py": "x = 1\n",
            "pkg/b.py": "lr = 1e-5\n",
            "npu_only.py": "y = 1\n",
            "blob.py": bytes(range(200)),
        },
        {
            "a.py": "x = 1\r\n",
            "pkg/b.py": "lr = 1e-4\n",
            "blob.py": bytes(range(201)),
            "ours/c.sh": "echo 1\n",
        },
    )
    assert states(found) == {
        "a.py": "equal",
        "pkg/b.py": "differs",
        "npu_only.py": "target_only",
        "blob.py": "not_compared",
        "ours/c.sh": "golden_only",
    }
    changed = next(file for file in found.files if file.name == "pkg/b.py")
    assert changed.lines(FOLDED) == (1, 1)
    assert [(place.target_line, place.golden, place.change) for place in changed.places] == [
        (1, "lr = 1e-4", Change.NUMERIC)
    ]
    assert {problem.code for problem in found.problems} == {"source_binary"}
    assert [file.name for file in found.differing(FOLDED)] == [
        "blob.py",
        "npu_only.py",
        "ours/c.sh",
        "pkg/b.py",
    ]


def test_what_is_no_source_is_passed_over_and_links_are_not_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"secret.py": "x = 1"})
    target = write(
        tmp_path / "npu",
        {
            "a.py": "x",
            ".git/b.py": "x",
            "p/__pycache__/c.py": "x",
            "w.bin": b"1",
            "setup.py": "x",
            "build/d.py": "x",
            "data/e.py": "x",
            "data/build/f.py": "x",
        },
    )
    (tmp_path / "npu" / "linked").symlink_to(outside)
    (tmp_path / "npu" / "p" / "circle").symlink_to(tmp_path / "npu")
    (tmp_path / "npu" / "link.py").symlink_to(f"{outside}/secret.py")
    found = run_to_end(compare_trees(target, target))
    names = ("a.py", "data/build/f.py", "data/e.py", "setup.py")  # what no setup.py built is source
    assert states(found) == dict.fromkeys(names, "equal")
    assert set(found.passed_over) == {".bin", "build/"}


def test_of_a_notebook_the_cells_of_code_count(tmp_path: Path) -> None:
    def notebook(rate: str, count: int) -> str:
        cells = [
            {"cell_type": "code", "source": ["import torch\n", f"lr = {rate}"], "execution_count": count},
            {"cell_type": "markdown", "source": f"run {count}"},
        ]
        return json.dumps({"cells": cells, "metadata": {"n": count}})

    other = {"a.ipynb": notebook("1e-4", 3), "b.ipynb": "{}"}
    found = trees(tmp_path / "1", other, {"a.ipynb": notebook("1e-3", 7), "b.ipynb": "[]"})
    changed = next(file for file in found.files if file.name == "a.ipynb")
    assert [place.target for place in changed.places] == ["lr = 1e-4"]
    assert states(trees(tmp_path / "2", {"a.ipynb": notebook("1", 3)}, {"a.ipynb": notebook("1", 7)})) == {
        "a.ipynb": "equal"
    }


def test_files_that_moved_or_were_renamed_are_found(tmp_path: Path) -> None:
    long = f"def step(model):\n{BODY}\n    return model\n"
    found = trees(
        tmp_path,
        {"training.py": "a = 1\n", "core/model_npu.py": long, "core/__init__.py": "", "x/loss.py": "l = 1\n"},
        {
            "megatron/training.py": "a = 1\n",
            "models/gpt.py": long.replace("=3)", "=4)"),
            "models/__init__.py": "z = 5\n",
            "y/loss.py": "l = 2\n",
        },
    )
    pairs = {file.target: file.golden for file in found.files}
    assert pairs["training.py"] == "megatron/training.py"
    assert pairs["core/model_npu.py"] == "models/gpt.py"
    assert pairs["x/loss.py"] == "y/loss.py"
    assert pairs["core/__init__.py"] == ""
    model = next(file for file in found.files if file.target == "core/model_npu.py")
    assert model.renamed
    assert model.lines(FOLDED) == (1, 1)


def test_two_files_given_as_such_stand_for_each_other(tmp_path: Path) -> None:
    write(tmp_path, {"pretrain_npu.py": "lr = 1\n", "pretrain.txt.bak": "lr = 2\n"})
    found = run_to_end(compare_trees(str(tmp_path / "pretrain_npu.py"), str(tmp_path / "pretrain.txt.bak")))
    assert states(found) == {"pretrain_npu.py": "differs"}


def test_a_folder_without_end_is_cut_and_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MOST_FILES", 5)
    found = trees(tmp_path, {f"{name}.py": "x" for name in range(9)}, {"0.py": "x"})
    assert len(found.files) == 5
    assert [problem.code for problem in found.problems] == ["source_many_files"]


def test_a_folder_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    golden = write(tmp_path / "gpu", {"a.py": "x"})
    found = run_to_end(compare_trees(str(tmp_path / "no"), golden))
    assert [problem.code for problem in found.problems] == ["source_unreadable"]
    assert states(found) == {"a.py": "golden_only"}


def test_the_work_tells_how_far_it_is(tmp_path: Path) -> None:
    sides = [write(tmp_path / side, {f"{name}.py": "x" for name in range(5)}) for side in ("npu", "gpu")]
    told = []
    run_to_end(compare_trees(*sides), told.append)
    assert [(progress.done, progress.total) for progress in told] == [(at, 5) for at in range(5)]
    assert all(render(progress.message, language) for progress in told for language in ("en", "zh_CN"))


# ---- the check


def check(
    tmp_path: Path, target: dict[str, str | bytes] | None, golden: dict[str, str | bytes] | None
) -> Finding:
    sides = []
    for name, files in (("ours", target), ("theirs", golden)):
        evidence = ()
        if files is not None:
            evidence = (Evidence(write(tmp_path / name, files), (EvidenceKind.SOURCE,)),)
        sides.append(Side(evidence))
    return run_to_end(difference(Pair(*sides)))


@pytest.mark.parametrize(
    ("target", "golden", "word"),
    [(None, None, "neither"), (None, {"a.py": "x"}, "no_target"), ({"a.py": "x"}, None, "no_golden")],
)
def test_without_source_on_a_side_it_is_not_done(
    tmp_path: Path, target: dict[str, str | bytes] | None, golden: dict[str, str | bytes] | None, word: str
) -> None:
    found = check(tmp_path, target, golden)
    assert found.result is Outcome.NOT_DONE
    assert found.message.code == f"precheck.source.difference.{word}"


def test_a_folder_without_source_is_no_pass(tmp_path: Path) -> None:
    assert check(tmp_path, {"a.bin": b"1"}, {"a.bin": b"1"}).result is Outcome.NOT_DONE
    assert check(tmp_path, {"a.py": b"\0"}, {"a.py": b"\0\0"}).result is Outcome.NOT_DONE


def test_equal_source_passes_and_so_does_noise_with_a_remark(tmp_path: Path) -> None:
    same = check(tmp_path / "1", {"a.py": "x = 1\n", "b.sh": "y\n"}, {"a.py": "x = 1\n", "b.sh": "y\n"})
    assert (same.result, same.remarks) == (Outcome.PASS, ())
    assert [item.standing for item in same.items] == [Standing.EQUAL, Standing.EQUAL]
    noise = check(
        tmp_path / "2",
        {"a.py": "import torch_npu\nx.npu()  # ours\n", "b.sh": f"cd {tmp_path}/2/ours/run\n"},
        {"a.py": "x.cuda()\n", "b.sh": f"cd {tmp_path}/2/theirs/run\n"},
    )
    assert noise.result is Outcome.PASS
    assert [remark.code.rpartition(".")[2] for remark in noise.remarks] == ["device", "path"]
    assert {item.standing for item in noise.items} == {Standing.REMARK}


def test_what_numbers_depend_on_fails_with_its_places(tmp_path: Path) -> None:
    found = check(tmp_path, {"m/a.py": "x = 1\nnorm(eps=1e-6)\n"}, {"m/a.py": "x = 1\nnorm(eps=1e-5)\n# c\n"})
    assert found.result is Outcome.FAIL
    assert found.message.code == "precheck.source.difference.numeric"
    item = found.items[0]
    assert (item.name, item.target, item.golden) == ("m/a.py:2", "norm(eps=1e-6)", "norm(eps=1e-5)")
    assert item.target_place is not None
    assert (item.target_place.path, item.target_place.line) == (str(tmp_path / "ours" / "m" / "a.py"), 2)


@pytest.mark.parametrize(
    ("target", "golden", "standing"),
    [
        ({"a.py": "model.train()"}, {"a.py": "model.eval()"}, Standing.DIFFERS),
        ({"a.py": "x\n", "b.py": "import os\n"}, {"a.py": "x\n"}, Standing.TARGET_ONLY),
        ({"a.py": "x\n"}, {"a.py": "x\n", "c/b.py": "import os\n"}, Standing.GOLDEN_ONLY),
    ],
)
def test_other_code_that_differs_fails_too(
    tmp_path: Path, target: dict[str, str | bytes], golden: dict[str, str | bytes], standing: Standing
) -> None:
    found = check(tmp_path, target, golden)
    assert found.result is Outcome.FAIL
    assert found.message.code.rpartition(".")[2] == ("code" if standing is Standing.DIFFERS else "alone")
    assert standing in {item.standing for item in found.items}


def test_what_was_recognised_as_other_evidence_is_no_source(tmp_path: Path) -> None:
    sides = []
    for name, script in (("ours", "train_npu.sh"), ("theirs", "run.sh")):
        folder = write(
            tmp_path / name,
            {
                "model.py": "x = 1\n",
                "env.txt": f"HOSTNAME={name}\nPATH=/bin\nHOME=/{name}\nLANG=C\nUSER=x\n",
                "pip_list.txt": f"Package Version\n------- -------\ntorch   2.1.{len(name)}\n",
                script: f"#!/bin/bash\npython model.py --lr 0.00{len(name)}\n",
                "b.md": "",
            },
        )
        sides.append(Side(run_to_end(read_evidence(Given(folder)))))
    found = run_to_end(difference(Pair(*sides)))
    assert found.result is Outcome.PASS
    assert {item.name: item.standing for item in found.items} == {
        "model.py": Standing.EQUAL, "run.sh": Standing.REMARK, "train_npu.sh": Standing.REMARK,
    }  # fmt: skip
    assert found.remarks[-1].code.endswith("passed_over")
    assert ".md" in render(found.remarks[-1], "en")


def test_what_was_not_read_is_no_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "MOST_FILES", 2)
    files: dict[str, str | bytes] = {f"{name}.py": "x" for name in range(4)}
    assert check(tmp_path, files, files).message.code == "precheck.source.difference.cut"
