"""From paths to the report: what is read, what is found beside dumps, and what broken evidence costs."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import numpy as np
import pytest
from builders.dumps import call, write_dump
from builders.logged_runs import falling_loss
from builders.training_logs import write_megatron

from core.compare.engine import compare_runs
from core.compare.options import CompareOptions
from core.precheck.jobs import PrecheckRequest, run_precheck
from core.progress import run_to_end
from core.records.evidence import EvidenceKind, Given
from core.records.precheck import Check, Entry, EvidenceSummary, Outcome, PrecheckReport

SCRIPT = "torchrun train.py --lr {lr} --micro-batch-size 2 --seed 1\n"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ULPSCOPE_CACHE_DIR", str(tmp_path / "cache"))


def dump(folder: Path, scale: float = 1.0) -> Path:
    values = np.linspace(-1, 1, 12, dtype=np.float32)
    weight = np.full(12, 0.5, np.float32)
    calls = {
        "Functional.linear.0.forward": call([values, weight], [values * scale]),
        "Functional.mse_loss.0.forward": call([values * scale], [np.array(0.5, np.float32)]),
    }
    return write_dump(folder / "step0" / "rank0", calls, tensors=True).parents[1]


def script(place: Path, lr: str) -> Path:
    place.write_text(SCRIPT.format(lr=lr))
    return place


def report_of(request: PrecheckRequest) -> PrecheckReport:
    report = run_to_end(run_precheck(pickle.loads(pickle.dumps(request))))  # it goes to a worker and back
    return pickle.loads(pickle.dumps(report))  # type: ignore[no-any-return]


def examined(target: Path, golden: Path, *, nearby: bool = True, result: str = "") -> PrecheckReport:
    sides = ((Given(str(target)),), (Given(str(golden)),)) if not result else ((), ())
    return report_of(PrecheckRequest(*sides, result_path=result, nearby=nearby))


def row(report: PrecheckReport, id: str) -> Check:
    return next(check for check in report.checks if check.id == id)


def named(summaries: tuple[EvidenceSummary, ...]) -> dict[str, bool]:
    """Return whether it was found rather than given, by the name of each piece of evidence."""
    return {Path(summary.path).name: summary.found for summary in summaries}


def test_evidence_beside_dumps_is_found_and_marked(tmp_path: Path) -> None:
    target, golden = dump(tmp_path / "npu" / "dump"), dump(tmp_path / "gpu" / "dump")
    script(tmp_path / "npu" / "train.sh", "0.002")
    script(tmp_path / "gpu" / "train.sh", "0.001")
    report = examined(target, golden)
    assert named(report.target_evidence) == {"dump": False, "train.sh": True}
    assert named(report.golden_evidence) == {"dump": False, "train.sh": True}
    assert row(report, "hyper_parameters.learning_rate").result is Outcome.FAIL
    alone = examined(target, golden, nearby=False)
    assert named(alone.target_evidence) == {"dump": False}
    assert row(alone, "hyper_parameters.learning_rate").result is Outcome.NOT_DONE


def test_what_lies_beside_both_dumps_is_nobodys(tmp_path: Path) -> None:
    target, golden = dump(tmp_path / "npu"), dump(tmp_path / "gpu")
    script(tmp_path / "train.sh", "0.001")
    report = examined(target, golden)
    assert named(report.target_evidence) == {"npu": False}
    assert named(report.golden_evidence) == {"gpu": False}


def test_what_was_given_is_not_found_again(tmp_path: Path) -> None:
    target, golden = dump(tmp_path / "npu" / "dump"), dump(tmp_path / "gpu" / "dump")
    mine = script(tmp_path / "gpu" / "train.sh", "0.001")  # it lies beside the golden, and is the target's
    request = PrecheckRequest((Given(str(target)), Given(str(mine))), (Given(str(golden)),), nearby=True)
    report = report_of(request)
    assert named(report.target_evidence) == {"dump": False, "train.sh": False}
    assert named(report.golden_evidence) == {"dump": False}


def test_a_result_stands_for_its_dumps(tmp_path: Path) -> None:
    target, golden = dump(tmp_path / "npu" / "dump"), dump(tmp_path / "gpu" / "dump", 1.5)
    script(tmp_path / "npu" / "train.sh", "0.002")
    script(tmp_path / "gpu" / "train.sh", "0.001")
    result = str(tmp_path / "result.h5")
    run_to_end(compare_runs(str(target), str(golden), CompareOptions(), result_path=result))
    report = examined(target, golden, result=result)
    assert named(report.target_evidence) == {"dump": True, "train.sh": True}
    assert [summary.kinds for summary in report.target_evidence] == [("dump",), ("script",)]
    by_runs = examined(target, golden)
    assert [(check.id, check.result) for check in report.checks] == [
        (check.id, check.result) for check in by_runs.checks
    ]
    assert row(report, "weights.in_dumps").result is Outcome.PASS
    assert not report.problems


def test_dumps_given_beside_another_result_are_compared_themselves(tmp_path: Path) -> None:
    target, golden, other = dump(tmp_path / "npu"), dump(tmp_path / "gpu"), dump(tmp_path / "other")
    result = str(tmp_path / "result.h5")
    run_to_end(compare_runs(str(target), str(golden), CompareOptions(), result_path=result))
    sides = (Given(str(target)),), (Given(str(other)),)
    report = report_of(PrecheckRequest(*sides, result_path=result))
    assert named(report.golden_evidence) == {"other": False}
    assert row(report, "weights.in_dumps").result is Outcome.PASS


def test_a_broken_result_costs_what_the_dumps_tell(tmp_path: Path) -> None:
    (tmp_path / "result.h5").write_bytes(b"no result")
    lines = (Given(str(script(tmp_path / name, "0.001"))) for name in ("a.sh", "b.sh"))
    target, golden = lines
    report = report_of(PrecheckRequest((target,), (golden,), result_path=str(tmp_path / "result.h5")))
    assert len(report.problems) == 1
    assert row(report, "hyper_parameters.learning_rate").result is Outcome.PASS
    assert row(report, "weights.in_dumps").result is Outcome.NOT_DONE


def test_files_are_named_with_their_digests(tmp_path: Path) -> None:
    place = script(tmp_path / "train.sh", "0.001")
    report = report_of(PrecheckRequest((Given(str(place)),), (Given(str(tmp_path)),)))
    (summary,) = report.target_evidence
    assert summary.digest == hashlib.sha256(place.read_bytes()).hexdigest()
    assert summary.size == place.stat().st_size
    assert summary.kinds == ("script",)
    (inside,) = report.golden_evidence
    assert (inside.path, inside.given) == (str(place), str(tmp_path))


def test_logs_are_read_as_curves(tmp_path: Path) -> None:
    log = write_megatron(tmp_path / "train.log", falling_loss(50))
    repeat = write_megatron(tmp_path / "again.log", falling_loss(50))
    golden = (Given(str(log)), Given(str(repeat), EvidenceKind.REPEAT_LOG))
    report = report_of(PrecheckRequest((Given(str(log)),), golden))
    assert row(report, "result.first_loss").result is Outcome.PASS
    assert [set(summary.kinds) & {"log", "repeat_log"} for summary in report.golden_evidence] == [
        {"log"},
        {"repeat_log"},
    ]


def test_a_file_given_beside_its_folder_counts_once(tmp_path: Path) -> None:
    script(tmp_path / "train.sh", "0.001")
    logs = [
        write_megatron(tmp_path / f"run{number}.log", falling_loss(50) * (1 + number / 1e4))
        for number in range(3)
    ]
    repeats = (Given(str(log), EvidenceKind.REPEAT_LOG) for log in logs[1:])
    report = report_of(PrecheckRequest(golden=(Given(str(tmp_path)), *repeats)))
    kinds = {Path(summary.path).name: summary.kinds for summary in report.golden_evidence}
    assert len(report.golden_evidence) == len(kinds) == 4
    assert "log" in kinds["run0.log"]
    assert "log" not in kinds["run1.log"]
    assert "repeat_log" in kinds["run2.log"]
    assert row(report, "reference.repeatable").result is Outcome.PASS


def test_what_cannot_be_read_costs_itself(tmp_path: Path) -> None:
    good = script(tmp_path / "train.sh", "0.001")
    (tmp_path / "broken.json").write_text('{"lr": ')
    (tmp_path / "empty.log").write_text("")
    given = tuple(Given(str(tmp_path / name)) for name in ("broken.json", "gone.sh", "empty.log", good.name))
    report = report_of(PrecheckRequest(given, given[-1:]))
    assert row(report, "hyper_parameters.learning_rate").result is Outcome.PASS
    wrong = [Path(summary.path).name for summary in report.target_evidence if summary.problems]
    assert wrong == ["broken.json", "gone.sh", "empty.log"]
    assert not any(summary.problems for summary in report.golden_evidence)


def test_entries_count(tmp_path: Path) -> None:
    given = (Given(str(script(tmp_path / "train.sh", "0.001"))),)
    entry = Entry(Outcome.FAIL, "other image")
    report = report_of(PrecheckRequest(given, given, {"flow.launch": entry}))
    assert row(report, "flow.launch").result is Outcome.FAIL
    assert "flow.launch" in [check.id for check in report.failures]
    assert row(report, "flow.launch").found is not Outcome.FAIL


def test_one_file_is_one_piece_of_evidence_under_any_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ds.json").write_text('{"train_micro_batch_size_per_gpu": 2, "gradient_clipping": 1.0}')
    (tmp_path / "run.yaml").write_text("output_dir: out\nlearning_rate: 1e-4\ndeepspeed: ds.json\n")
    (tmp_path / "link.json").symlink_to("ds.json")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    for more in ("ds.json", "./ds.json", "sub/../ds.json", "link.json", str(tmp_path / "ds.json"), "."):
        given = tuple(map(Given, ("run.yaml", "ds.json", more)))
        report = report_of(PrecheckRequest(given, given))
        assert row(report, "flow.sources_agree").result is Outcome.NOT_DONE, more
        assert [Path(one.path).name for one in report.target_evidence] == ["run.yaml", "ds.json"]
        assert all(Path(one.path).is_absolute() for one in report.target_evidence)
        places = [item.target_place for check in report.checks for item in check.items if item.target_place]
        assert places
        assert all(Path(place.path).is_absolute() for place in places)
