"""Each kind of cause on a small hand-made chain of calls, with tensors and with statistics alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.compare.options import CompareOptions
from core.diagnosis.engine import diagnose_runs
from core.messages import render
from core.progress import run_to_end
from core.records.diagnosis import Diagnosis, Kind, Severity
from core.records.result import CellResult, Origin
from tests.builders.dumps import call, write_dump

RNG = np.random.default_rng(11)
X = RNG.standard_normal((16, 32)).astype(np.float32)
W = RNG.standard_normal((32, 32)).astype(np.float32)
V = RNG.standard_normal((32, 32)).astype(np.float32)

Change = Callable[[str, np.ndarray[Any, Any]], np.ndarray[Any, Any]]


def chain(
    x: np.ndarray[Any, Any] = X,
    w: np.ndarray[Any, Any] = W,
    v: np.ndarray[Any, Any] = V,
    change: Change = lambda _name, value: value,
    factor: float = 0.5,
    extra: bool = False,
) -> dict[str, Any]:
    """Return four calls, each taking what the one before made; *change* may break an output."""
    first = change("linear.0", x @ w.T)
    scaled = change("mul.0", first * np.float32(factor))
    active = change("relu.0", np.maximum(scaled, 0))
    second = change("linear.1", active @ v.T)
    calls = {
        "Functional.linear.0.forward": call([x, w, None], [first]),
        "Tensor.__mul__.0.forward": call([first, factor], [scaled]),
        "Functional.relu.0.forward": call([scaled], [active]),
        "Functional.linear.1.forward": call([active, v, None], [second]),
    }
    if extra:
        calls = {"Tensor.__neg__.0.forward": call([x], [-x]), **calls}
    return calls


@pytest.fixture(params=[True, False], ids=["tensors", "statistics"])
def diagnose(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[..., tuple[Diagnosis, CellResult]]:
    def run(target: dict[str, Any], golden: dict[str, Any]) -> tuple[Diagnosis, CellResult]:
        write_dump(tmp_path / "t", target, tensors=request.param)
        write_dump(tmp_path / "g", golden, tensors=request.param)
        cells: list[CellResult] = []
        options = CompareOptions(use_cache=False)
        work = diagnose_runs(str(tmp_path / "t"), str(tmp_path / "g"), options, take=cells.append)
        return run_to_end(work)[1], cells[0]

    return run


def first_of(diagnosis: Diagnosis) -> tuple[Kind, str | None, str | None]:
    assert diagnosis.first is not None
    return diagnosis.first.kind, diagnosis.first.operator, diagnosis.first.slot


def broken(name: str, factor: float = 1.4) -> Change:
    return lambda where, value: value * np.float32(factor) if where == name else value


@pytest.mark.parametrize(
    ("name", "operator"),
    [
        ("linear.0", "Functional.linear.0.forward"),
        ("mul.0", "Tensor.__mul__.0.forward"),
        ("relu.0", "Functional.relu.0.forward"),
        ("linear.1", "Functional.linear.1.forward"),
    ],
)
def test_a_broken_kernel(diagnose: Any, name: str, operator: str) -> None:
    diagnosis, cell = diagnose(chain(change=broken(name)), chain())
    assert first_of(diagnosis) == (Kind.NUMERIC, operator, "output.0")
    assert len(diagnosis.suspects) == 1
    assert int((cell.rows.origin == Origin.INTRODUCED).sum()) == 1


def test_an_argument(diagnose: Any) -> None:
    diagnosis, _ = diagnose(chain(factor=0.25), chain())
    assert first_of(diagnosis) == (Kind.ARGUMENT, "Tensor.__mul__.0.forward", "input.1")
    assert diagnosis.first.evidence["target_value"] == "0.25"


def test_weights(diagnose: Any) -> None:
    diagnosis, _ = diagnose(chain(w=W * np.float32(1.1)), chain())
    kind, operator, slot = first_of(diagnosis)
    assert kind in (Kind.WEIGHTS, Kind.DATA)  # a dump without requires_grad cannot tell the two apart
    assert (operator, slot) == ("Functional.linear.0.forward", "input.1")


def test_input_data(diagnose: Any) -> None:
    diagnosis, _ = diagnose(chain(x=X + np.float32(0.5)), chain())
    assert first_of(diagnosis) == (Kind.DATA, "Functional.linear.0.forward", "input.0")


def test_overflow(diagnose: Any) -> None:
    def overflow(where: str, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if where != "linear.0":
            return value
        value = value.copy()
        value[3, 4] = np.inf
        return value

    diagnosis, _ = diagnose(chain(change=overflow), chain())
    assert first_of(diagnosis)[1] == "Functional.linear.0.forward"
    assert diagnosis.first.kind in (Kind.OVERFLOW, Kind.NUMERIC)


def test_noise_accuses_nobody(diagnose: Any) -> None:
    def noise(_where: str, value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return value * (1 + 1e-7 * RNG.standard_normal(value.shape).astype(np.float32))

    diagnosis, _ = diagnose(chain(change=noise), chain())
    assert diagnosis.suspects == ()


def test_a_neutral_extra_call_is_a_remark(diagnose: Any) -> None:
    diagnosis, _ = diagnose(chain(extra=True), chain())
    assert diagnosis.suspects == ()
    (remark,) = [item for item in diagnosis.remarks if item.kind is Kind.STRUCTURE]
    assert remark.severity is Severity.REMARK
    assert remark.operator == "Tensor.__neg__.0.forward"


def test_a_missing_call_is_the_cause(diagnose: Any) -> None:
    target = chain(factor=1.0)
    del target["Tensor.__mul__.0.forward"]
    diagnosis, _ = diagnose(target, chain())
    assert first_of(diagnosis)[0] is Kind.STRUCTURE
    assert diagnosis.first.golden_operator == "Tensor.__mul__.0.forward"


def test_the_same_data_twice_is_said(diagnose: Any, request: pytest.FixtureRequest) -> None:
    diagnosis, _ = diagnose(chain(), chain())
    assert diagnosis.suspects == ()
    said = [item.message.code for item in diagnosis.remarks]
    assert ("suspect.same_data" in said) is (request.node.callspec.id == "tensors")


@pytest.mark.parametrize("differing", [(), (0,), (1,)])
def test_runs_are_the_same_data_only_when_all_steps_are(tmp_path: Path, differing: tuple[int, ...]) -> None:
    for step in (0, 1):
        change = broken("relu.0") if step in differing else broken("nothing")
        write_dump(tmp_path / "t" / f"step{step}" / "rank0", chain(change=change), tensors=True)
        write_dump(tmp_path / "g" / f"step{step}" / "rank0", chain(), tensors=True)
    options = CompareOptions(use_cache=False)
    _, diagnosis = run_to_end(diagnose_runs(str(tmp_path / "t"), str(tmp_path / "g"), options))
    said = [item.message.code for item in diagnosis.remarks]
    assert ("suspect.same_data" in said) is (not differing)


@pytest.mark.parametrize(("factor", "guilty"), [(1.0, False), (1.01, True)])
def test_a_lookup_in_a_rounded_table_may_show_more_of_the_rounding_than_the_table(
    diagnose: Any, factor: float, guilty: bool
) -> None:
    table = np.random.default_rng(5).uniform(-0.9, 0.9, (1024, 64)).astype(np.float32)
    table[0, :2] = 3.000001, -3.000001  # hardly hit by rounding to fp16
    table[5, :2] = 1.00048, -1.00048  # hit by all of it
    rounded = table.astype(np.float16).astype(np.float32)
    ids = np.array([5, 6, 7])

    def lookup(weight: np.ndarray[Any, Any], scale: float) -> dict[str, Any]:
        return {"Functional.embedding.0.forward": call([ids, weight], [weight[ids] * np.float32(scale)])}

    diagnosis, _ = diagnose(lookup(rounded, factor), lookup(table, 1.0))
    assert bool(diagnosis.suspects) is guilty


def test_another_shape_is_told_by_its_shapes(diagnose: Any) -> None:
    diagnosis, _ = diagnose(chain(x=X[:8]), chain())
    assert first_of(diagnosis)[0] is Kind.DATA
    said = render(diagnosis.first.message)
    assert "(8, 32)" in said
    assert "(16, 32)" in said
    assert "inf" not in said
    narrow = chain(change=lambda where, value: value[:, :31] if where == "relu.0" else value, v=V[:, :31])
    diagnosis, _ = diagnose(narrow, chain())
    assert all("inf" not in render(item.message) for item in diagnosis.suspects)
