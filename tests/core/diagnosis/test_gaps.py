"""What was not dumped, or not compared, is no proof: nobody is accused by it, and what is missing is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.messages import LANGUAGES, render
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis, Kind, Proof, Severity
from core.records.result import CellResult, Origin, Verdict
from tests.builders.dumps import call, write_dump

RNG = np.random.default_rng(3)
X = RNG.standard_normal((8, 16)).astype(np.float32)
Y = RNG.standard_normal((8, 16)).astype(np.float32)
W = RNG.standard_normal((16, 16)).astype(np.float32)
BF16 = ml_dtypes.bfloat16

Calls = dict[str, Any]
CHECKSUMS: dict[str, Any] = {"checksums": True, "statistics": False}


def diagnose(folder: Path, target: Calls, golden: Calls, **how: Any) -> tuple[Diagnosis, CellResult]:
    for name, calls in (("t", target), ("g", golden)):
        write_dump(folder / name, calls, **how)
    cells: list[CellResult] = []
    options = CompareOptions(use_cache=False)
    work = diagnose_runs(str(folder / "t"), str(folder / "g"), options, take=cells.append)
    return run_to_end(work)[1], cells[0]


def added(operand: np.ndarray[Any, Any], result: np.ndarray[Any, Any]) -> Calls:
    """Return an addition and what follows; *operand* is its second input."""
    return {
        "Functional.relu.0.forward": call([X], [np.maximum(X, 0)]),
        "Tensor.__add__.0.forward": call([np.maximum(X, 0), operand], [result]),
        "Torch.transpose.0.forward": call([result], [result.T.copy()]),
        "Torch.matmul.0.forward": call([result[:4].copy(), result.T.copy()], [result[:4] @ result.T]),
    }


def test_an_operand_that_was_not_compared_blocks_the_accusation(tmp_path: Path) -> None:
    target = added(Y.astype(BF16), np.maximum(X, 0) + Y.astype(BF16).astype(np.float32))
    diagnosis, cell = diagnose(tmp_path, target, added(Y, np.maximum(X, 0) + Y), **CHECKSUMS)
    assert Verdict.NOT_COMPARED in cell.rows.verdict
    assert (cell.rows.verdict == Verdict.DIFFERS).sum() > 3
    assert diagnosis.suspects == ()
    assert Origin.INTRODUCED not in cell.rows.origin
    names = [cell.target.operator_name(int(row)) for row in cell.rows.target_operator]
    first = int(np.flatnonzero(cell.rows.verdict == Verdict.DIFFERS)[0])
    assert names[first] == "Tensor.__add__.0.forward"
    assert cell.rows.origin[first] == Origin.UNKNOWN


def test_the_same_addition_with_compared_operands_is_accused(tmp_path: Path) -> None:
    wrong = np.maximum(X, 0) + Y
    wrong[2, 3] += 1
    diagnosis, _ = diagnose(tmp_path, added(Y, wrong), added(Y, np.maximum(X, 0) + Y), **CHECKSUMS)
    assert diagnosis.first is not None
    assert diagnosis.first.operator == "Tensor.__add__.0.forward"
    assert diagnosis.first.proof is Proof.EQUALITY
    assert "has another checksum" in render(diagnosis.first.message, "en")


def product(x: np.ndarray[Any, Any], w: np.ndarray[Any, Any], factor: float = 1.0) -> Calls:
    return {"Functional.linear.0.forward": call([x, w], [x @ w.T * np.float32(factor)])}


@pytest.mark.parametrize(
    "how", [CHECKSUMS, {}, {"tensors": True}], ids=["checksums", "statistics", "tensors"]
)
@pytest.mark.parametrize(
    "target",
    [product(X, W, 1.5), product(X + 1, W), product(X, W * 2), product(X, W, float("nan"))],
    ids=["output", "data", "weights", "nan"],
)
def test_no_sentence_and_no_evidence_gives_inf_or_nan_as_an_error(
    tmp_path: Path, target: Calls, how: dict[str, Any]
) -> None:
    diagnosis, _ = diagnose(tmp_path, target, product(X, W), **how)
    assert diagnosis.suspects
    for suspect in diagnosis.suspects:
        told = {*map(str, suspect.evidence.values()), *map(str, suspect.message.parameters.values())}
        assert not {"inf", "-inf", "nan"} & told
        assert all(suspect.message.code not in render(suspect.message, language) for language in LANGUAGES)


def saved(*values: np.ndarray[Any, Any] | float) -> Calls:
    return {f"value{index}.0.debug": value for index, value in enumerate(values)}


def write_debug(folder: Path, calls: Calls) -> Path:
    """Write saved values as the official ``PrecisionDebugger.save`` does."""
    write_dump(folder, {name: call([], [value]) for name, value in calls.items()})
    content = json.loads((folder / "dump.json").read_text("utf-8"))
    content["data"] = {name: body["output"][0] for name, body in content["data"].items()}
    content["level"] = "debug"
    (folder / "debug.json").write_text(json.dumps(content), "utf-8")
    (folder / "dump.json").unlink()
    return folder


def test_saved_values_accuse_nobody_and_the_first_that_differs_is_told(tmp_path: Path) -> None:
    target, golden = saved(X, X * 1.5, Y * 1.5), saved(X, X, Y)
    write_debug(tmp_path / "t", target)
    write_debug(tmp_path / "g", golden)
    cells: list[CellResult] = []
    options = CompareOptions(use_cache=False)
    work = diagnose_runs(str(tmp_path / "t"), str(tmp_path / "g"), options, take=cells.append)
    diagnosis = run_to_end(work)[1]
    assert (cells[0].rows.verdict == Verdict.DIFFERS).sum() == 2
    assert diagnosis.suspects == ()
    (remark,) = diagnosis.remarks
    assert remark.operator == "value1.0.debug"
    assert "Nothing that goes into it was dumped" in render(remark.message, "en")
    assert set(cells[0].rows.origin.tolist()) == {Origin.UNKNOWN}


def test_a_dump_of_outputs_alone_accuses_nobody(tmp_path: Path) -> None:
    def outputs(factor: float) -> Calls:
        scale = np.float32(factor)
        return {f"Torch.tanh.{index}.forward": call([], [X * scale**index]) for index in range(4)}

    diagnosis, cell = diagnose(tmp_path, outputs(1.5), outputs(1.0))
    assert diagnosis.suspects == ()
    assert [item.operator for item in diagnosis.remarks] == ["Torch.tanh.1.forward"]
    assert Origin.INHERITED not in cell.rows.origin


def made(factor: float, *arguments: Any) -> Calls:
    """Return a call that makes a tensor of nothing but *arguments*, and what uses it."""
    value = X * np.float32(factor)
    return {
        "Functional.relu.0.forward": call([Y], [np.maximum(Y, 0)]),
        "Torch.full.0.forward": call(list(arguments), [value]),
        "Tensor.__add__.0.forward": call([np.maximum(Y, 0), value], [np.maximum(Y, 0) + value]),
    }


def test_a_call_of_equal_arguments_alone_is_accused_by_equality(tmp_path: Path) -> None:
    diagnosis, _ = diagnose(tmp_path, made(1.5, [8, 16], 2.0), made(1.0, [8, 16], 2.0))
    assert diagnosis.first is not None
    assert (diagnosis.first.operator, diagnosis.first.proof) == ("Torch.full.0.forward", Proof.EQUALITY)


def test_a_call_without_any_input_in_a_dump_of_inputs_is_the_cause_but_no_proof_of_equality(
    tmp_path: Path,
) -> None:
    diagnosis, _ = diagnose(tmp_path, made(1.5), made(1.0))
    assert diagnosis.first is not None
    assert (diagnosis.first.operator, diagnosis.first.severity) == ("Torch.full.0.forward", Severity.ERROR)
    assert diagnosis.first.proof is Proof.COMPARISON
    assert "equal" not in render(diagnosis.first.message, "en")


def with_gradients(folder: Path) -> None:
    """Let all tensors that go in require a gradient, as in training."""
    content = json.loads((folder / "dump.json").read_text("utf-8"))
    for body in content["data"].values():
        for value in body["input_args"]:
            if "requires_grad" in value:
                value["requires_grad"] = True
    (folder / "dump.json").write_text(json.dumps(content), "utf-8")


@pytest.mark.parametrize(
    ("api", "kind", "code"),
    [("Functional.linear", Kind.WEIGHTS, "suspect.weights"), ("Torch.matmul", Kind.DATA, "suspect.outside")],
)
def test_only_what_is_a_weight_for_certain_is_called_one(
    tmp_path: Path, api: str, kind: Kind, code: str
) -> None:
    for name, w in (("t", W * np.float32(1.5)), ("g", W)):
        write_dump(tmp_path / name, {f"{api}.0.forward": call([X, w], [X @ w.T])})
        with_gradients(tmp_path / name)
    options = CompareOptions(use_cache=False)
    _, diagnosis = run_to_end(diagnose_runs(str(tmp_path / "t"), str(tmp_path / "g"), options))
    assert diagnosis.first is not None
    assert (diagnosis.first.kind, diagnosis.first.slot) == (kind, "input.1")
    assert diagnosis.first.message.code == code


def test_an_intermediate_value_from_outside_the_dump_is_no_weight(tmp_path: Path) -> None:
    for name, attention in (("t", X * np.float32(1.5)), ("g", X)):
        write_dump(tmp_path / name, {"Torch.matmul.0.forward": call([attention, W], [attention @ W])})
        with_gradients(tmp_path / name)
    options = CompareOptions(use_cache=False)
    _, diagnosis = run_to_end(diagnose_runs(str(tmp_path / "t"), str(tmp_path / "g"), options))
    assert diagnosis.first is not None
    assert (diagnosis.first.kind, diagnosis.first.slot) == (Kind.DATA, "input.0")
    assert "from outside the dump" in render(diagnosis.first.message, "en")
