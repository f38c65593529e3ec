"""Settings that are said, but not with which value: nothing passes over them, nothing follows from them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders.settings import found, meaning, pair_of, saying, script, side_of

from core.precheck.engine import examine
from core.precheck.pair import Pair
from core.precheck.settings.schedule import schedule_of
from core.precheck.settings.table import SettingRow, shipped_settings
from core.progress import run_to_end
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting, Value
from core.records.precheck import Outcome, Standing

PASS, FAIL, NOT_DONE = Outcome.PASS, Outcome.FAIL, Outcome.NOT_DONE
PLAIN, CONFIG = Dialect.PLAIN, EvidenceKind.CONFIG
WHOLE: dict[str, Value] = {
    "hidden_size": 128, "max_position_embeddings": 128, "train_iters": 100, "global_batch_size": 16,
    "seq_length": 128, "vocab_size": 1000, "seed": 1,
    "hidden_dropout": 0, "attention_dropout": 0, "loss_scale": 128, "fp16": True, "swiglu": True,
}  # fmt: skip


def left_open(evidence: Evidence, name: str) -> Evidence:
    """Return *evidence* with ``--name $UNSET`` at its end."""
    place = Place(evidence.path, 99)
    setting = Setting(name, "$UNSET", place, Dialect.MEGATRON, known=False)
    said = [one for one in evidence.settings if one.name != name]
    return replace(evidence, settings=(*said, setting))


def megatron_rows() -> list[SettingRow]:
    """Return the settings that Megatron-LM names; how many workers load the data never counts."""
    rows = shipped_settings().rows.values()
    return [row for row in rows if row.aliases.get(Dialect.MEGATRON) and "workers" not in row.name]


@pytest.mark.parametrize("row", megatron_rows(), ids=lambda row: row.name)
def test_no_row_passes_over_a_value_that_nobody_knows(row: SettingRow) -> None:
    name = row.aliases[Dialect.MEGATRON][0].lstrip("!").removeprefix("2^").partition("=")[0].partition("@")[0]
    full = script(**WHOLE)
    unknown = left_open(full, name)
    side = meaning(unknown)
    assert side.is_open(row.name) or name not in {one.name for one in unknown.settings}
    for pair in (pair_of(unknown, full), pair_of(full, unknown), pair_of(unknown, unknown)):
        checks = {check.id: check for check in run_to_end(examine(pair))}
        assert checks[row.check].result is not PASS


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("tensor-model-parallel-size", ("data_parallel", "gradient_accumulation", "padded_vocabulary")),
        ("pipeline-model-parallel-size", ("data_parallel",)),
        ("context-parallel-size", ("data_parallel",)),
        ("global-batch-size", ("global_batch", "gradient_accumulation", "tokens_per_step")),
        ("ffn-hidden-size", ("ffn_hidden_size", "parameters")),
        ("swiglu", ("ffn_hidden_size", "parameters")),
        ("kv-channels", ("head_size", "parameters")),
        ("lr-warmup-fraction", ("warmup_steps",)),
        ("lr-warmup-samples", ("warmup_steps",)),
        ("lr-decay-iters", ("decay_steps",)),
        ("lr-decay-samples", ("decay_steps",)),
        ("make-vocab-size-divisible-by", ("padded_vocabulary",)),
        ("num-experts", ("parameters",)),
        ("normalization", ("parameters",)),
    ],
)
def test_nothing_follows_from_a_value_that_nobody_knows(name: str, names: tuple[str, ...]) -> None:
    launched = saying(Dialect.LAUNCHER, EvidenceKind.SCRIPT, "launch.sh", nproc_per_node=8, nnodes=1)
    known = meaning(script(**WHOLE), launched)
    side = meaning(left_open(script(**WHOLE), name), launched)
    for one in names:
        assert known.value(one) is not None
        assert side.value(one) is None


def test_no_schedule_follows_from_a_value_that_nobody_knows() -> None:
    assert schedule_of(meaning(script(**WHOLE))) is not None
    for name in ("lr", "min-lr", "lr-decay-style", "lr-warmup-iters", "lr-warmup-init", "train-iters"):
        assert schedule_of(meaning(left_open(script(**WHOLE), name))) is None


def test_what_holds_before_an_open_value_closes_it() -> None:
    unknown = left_open(script(), "lr")
    assert meaning(unknown).is_open("learning_rate")
    assert meaning(unknown, saying(PLAIN, CONFIG, "c.yaml", learning_rate=0.1)).is_open("learning_rate")
    printed = saying(Dialect.MEGATRON, EvidenceKind.ARGUMENTS, "train.log", lr=0.1)
    assert meaning(unknown, printed).value("learning_rate") == 0.1
    later = replace(
        unknown, settings=(*unknown.settings, Setting("lr", 0.2, Place("train.sh"), Dialect.MEGATRON))
    )
    assert meaning(later).value("learning_rate") == 0.2


def test_a_variable_that_is_set_to_another_one_is_open() -> None:
    side = meaning(saying(PLAIN, EvidenceKind.SCRIPT, "run.sh", environment={"MIN_LR": "$LEAST"}))
    assert side.is_open("min_learning_rate")
    assert side.value("min_learning_rate") is None


@pytest.mark.parametrize(
    "value", ["$LR", "${LR}", "${oc.env:LR}", "{{ lr }}", "'{{ lr }}'", "<your learning rate>", "1e-${DIGIT}"]
)
def test_what_a_file_leaves_to_be_filled_in_is_open(value: str, tmp_path: Path) -> None:
    for name in ("npu", "gpu"):
        said = f"output_dir: o\nlearning_rate: {value}\nz_loss: {value}\nmax_steps: 9\n"
        (tmp_path / f"{name}.yaml").write_text(said)
    pair = Pair(side_of(tmp_path / "npu.yaml"), side_of(tmp_path / "gpu.yaml"))
    for id in ("hyper_parameters.learning_rate", "hyper_parameters.others"):
        assert found(id, pair).result is NOT_DONE


@pytest.mark.parametrize(
    "value", ["^(?!.*head$).*$", "<s>", "<s> </s>", "{{ a }}{{ b }}", "<|im_end|>", "costs 5$", "a{{ b }}c"]
)
def test_signs_of_other_texts_are_no_references(value: str) -> None:
    assert meaning(saying(PLAIN, CONFIG, "c.yaml", target_thing=value)).others[0].known


@pytest.mark.parametrize("golden", ["1e-5", "2e-5", "3e-5"])
def test_the_order_of_evidence_decides_nothing(golden: str, tmp_path: Path) -> None:
    id = "hyper_parameters.learning_rate"
    for name, rate in (("a", "1e-5"), ("b", "2e-5"), ("gpu", golden)):
        (tmp_path / f"{name}.yaml").write_text(f"output_dir: o\nlearning_rate: {rate}\nmax_steps: 9\n")
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    other = side_of(tmp_path / "gpu.yaml")
    expected = FAIL if golden == "3e-5" else NOT_DONE
    for order in (paths, paths[::-1]):
        for pair in (Pair(side_of(*order), other), Pair(other, side_of(*order))):
            finding = found(id, pair)
            assert finding.result is expected
            contested = next(item for item in finding.items if item.name == "learning_rate")
            assert contested.standing is (Standing.DIFFERS if expected is FAIL else Standing.UNKNOWN)
            assert "1e-05; 2e-05" in (contested.target, contested.golden)
        assert found("flow.sources_agree", Pair(side_of(*order), other)).result is FAIL


def test_the_order_of_evidence_decides_nothing_of_names_that_no_table_knows() -> None:
    id = "hyper_parameters.others"
    files = [saying(PLAIN, CONFIG, f"{n}.yaml", z_loss=n, wandb_run_name=str(n)) for n in (1, 2)]
    for order in (tuple(files), tuple(files[::-1])):
        finding = found(id, pair_of(order, files[0]))
        assert finding.result is NOT_DONE
        standings = {item.name: (item.standing, item.target) for item in finding.items}
        assert standings["z_loss"] == (Standing.UNKNOWN, "1; 2")
        assert standings["wandb_run_name"][0] is Standing.REMARK


def test_nothing_follows_from_what_is_said_twice() -> None:
    batches = [saying(PLAIN, CONFIG, f"{n}.yaml", micro_batch=n) for n in (1, 2)]
    shared = saying(PLAIN, CONFIG, "c.yaml", world_size=4, gradient_accumulation_steps=2)
    for order in (batches, batches[::-1]):
        assert meaning(*order, shared).value("global_batch") is None
