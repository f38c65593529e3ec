"""What each check of settings finds, and that none passes without having compared anything."""

from __future__ import annotations

import numpy as np
import pytest
from builders.settings import found, pair_of, saying, script
from hypothesis import given
from hypothesis import strategies as st

from core.messages import LANGUAGES
from core.precheck.checklist import CHECKLIST
from core.precheck.finding import Finding
from core.precheck.settings.table import shipped_settings
from core.records.curves import Axis, Curve, LoggedRun, RunKind
from core.records.evidence import (
    Device,
    Dialect,
    Evidence,
    EvidenceKind,
    Place,
    Setting,
    Value,
    Variable,
)
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series

CONFIG, ARGUMENTS = EvidenceKind.CONFIG, EvidenceKind.ARGUMENTS
PLAIN, HUGGING_FACE, DEEPSPEED = Dialect.PLAIN, Dialect.HUGGING_FACE, Dialect.DEEPSPEED
OF_SETTINGS = (
    *dict.fromkeys(row.check for row in shipped_settings().rows.values()),
    "hyper_parameters.learning_rate_curve", "hyper_parameters.others", "flow.sources_agree", "flow.launch",
)  # fmt: skip
PASS, FAIL, NOT_DONE = Outcome.PASS, Outcome.FAIL, Outcome.NOT_DONE


def item(finding: Finding, name: str) -> Item:
    return next(one for one in finding.items if one.name == name)


def config(**settings: Value) -> Evidence:
    return saying(PLAIN, CONFIG, "config.yaml", **settings)


@pytest.mark.parametrize("id", OF_SETTINGS)
def test_nothing_passes_without_evidence(id: str) -> None:
    nothing = Evidence("empty", ())
    full = script(lr=1, seed=1, bf16=True, num_layers=2, hidden_size=4, num_attention_heads=2, train_iters=9)
    assert found(id, pair_of(nothing, nothing)).result is NOT_DONE
    for pair in (pair_of(full, nothing), pair_of(nothing, full)):
        assert found(id, pair).result is not PASS


@pytest.mark.parametrize("id", OF_SETTINGS)
def test_every_row_has_its_words(id: str) -> None:
    from core.messages import text

    for language in LANGUAGES:
        for word in ("check", "effect", "remedy", "bring"):
            code = f"precheck.{word}.{id}"
            assert text(code, language) != code


def test_every_row_of_the_table_is_examined() -> None:
    examined = {kind.id for kind in CHECKLIST if kind.examine is not None}
    assert set(OF_SETTINGS) <= examined


def test_numbers_of_any_spelling_are_equal() -> None:
    learning_rate = found("hyper_parameters.learning_rate", pair_of(script(lr="1e-5"), script(lr="0.00001")))
    assert learning_rate.result is PASS
    assert item(learning_rate, "learning_rate").standing is Standing.EQUAL


def test_a_default_on_one_side_counts_as_its_value_and_says_so() -> None:
    equal = found("hyper_parameters.optimizer", pair_of(script(clip_grad=1.0), script(lr=1)))
    assert equal.result is PASS
    assert item(equal, "clip_grad").remark is not None
    other = found("hyper_parameters.optimizer", pair_of(script(clip_grad=0.5), script(lr=1)))
    assert other.result is FAIL
    assert other.message.parameters["name"] == "clip_grad"


def test_what_a_partial_file_does_not_say_is_unknown() -> None:
    finding = found("hyper_parameters.optimizer", pair_of(config(beta1=0.9, beta2=0.95), config(beta1=0.9)))
    assert finding.result is NOT_DONE
    assert finding.message.parameters["name"] == "beta2"
    assert item(finding, "beta2").standing is Standing.TARGET_ONLY
    lead = found("hyper_parameters.learning_rate", pair_of(config(lr=1, min_lr=0), config(min_lr=0)))
    assert lead.result is NOT_DONE
    assert lead.message.parameters["name"] == "learning_rate"


def test_what_a_complete_script_does_not_say_counts() -> None:
    finding = found("hyper_parameters.learning_rate", pair_of(script(lr_decay_iters=9), script(seed=1)))
    assert finding.result is FAIL
    assert item(finding, "decay_steps").standing is Standing.TARGET_ONLY


def test_training_arguments_do_not_tell_what_stands_elsewhere() -> None:
    """The length of sequences and the attention kernel are no TrainingArguments."""
    trainer = saying(HUGGING_FACE, path="run.sh", learning_rate=1e-3, output_dir="out")
    megatron = script(seq_length=4096, use_flash_attn=True)
    assert found("model.shape", pair_of(megatron, trainer)).result is NOT_DONE
    assert found("fused.attention", pair_of(megatron, trainer)).result is NOT_DONE


def test_a_variable_that_nothing_sets_is_unknown() -> None:
    setting = Setting("lr", "$LR", Place("train.sh", 7), Dialect.MEGATRON, known=False)
    unset = Evidence("train.sh", (EvidenceKind.SCRIPT,), (setting,), program="pretrain_gpt.py")
    finding = found("hyper_parameters.learning_rate", pair_of(unset, script(lr=1)))
    assert finding.result is NOT_DONE
    assert item(finding, "learning_rate").standing is Standing.UNKNOWN
    launch = found("flow.launch", pair_of(unset, script(lr=1)))
    assert (launch.result, len(launch.remarks)) == (PASS, 1)


def test_frameworks_are_compared_by_meaning() -> None:
    megatron = script(
        lr="2e-5", weight_decay="0.0", adam_beta2="0.999", micro_batch_size=8, optimizer="adamw"
    )
    trainer = saying(HUGGING_FACE, learning_rate=2e-5, output_dir="out", path="run.sh")
    assert found("hyper_parameters.optimizer", pair_of(megatron, trainer)).result is PASS
    rate = found("hyper_parameters.learning_rate", pair_of(megatron, trainer))
    remark = item(rate, "learning_rate").remark
    assert rate.result is PASS
    assert remark is not None
    assert remark.parameters == {"target": "lr", "golden": "learning_rate"}


@pytest.mark.parametrize(
    ("settings", "result"),
    [
        ({"fp16": True}, PASS), ({"bf16": True}, PASS), ({"amp": True}, PASS), ({"opt_level": "O1"}, PASS),
        ({"fp16": True, "bf16": True}, FAIL), ({"fp16": True, "amp": True}, FAIL),
        ({"fp16": True, "opt_level": "O1"}, FAIL), ({"bf16": True, "use_amp": "true"}, FAIL),
        ({"fp16": True, "opt_level": "O0"}, PASS), ({"fp16": False, "amp": True}, PASS),
        ({"lr": 1}, NOT_DONE),
    ],
)  # fmt: skip
def test_one_kind_of_mixed_precision(settings: dict[str, Value], result: Outcome) -> None:
    good = config(fp16=True)
    assert found("mixed_precision.one_kind", pair_of(config(**settings), good)).result is result
    assert found("mixed_precision.one_kind", pair_of(good, config(**settings))).result is result


@pytest.mark.parametrize(
    ("settings", "device", "result"),
    [
        ({"precision_mode_v2": "origin"}, "Ascend 910B3", PASS),
        ({"precision_mode": "must_keep_origin_dtype"}, "Ascend 910B3", PASS),
        ({"precision_mode": "allow_mix_precision"}, "Ascend 910B3", FAIL),
        ({"precision_mode_v2": "fp16"}, "Ascend 910B3", FAIL),
        ({"precision_mode": "allow_fp32_to_fp16"}, "Ascend 910B3", FAIL),
        ({"precision_mode": "allow_fp32_to_fp16"}, "Ascend 910A", PASS),
        ({"precision_mode": "allow_fp32_to_fp16"}, "", NOT_DONE),
        ({"lr": 1}, "Ascend 910B3", NOT_DONE),
    ],
)
def test_precision_mode_of_the_npu(settings: dict[str, Value], device: str, result: Outcome) -> None:
    machine = Evidence(
        "smi.txt",
        (EvidenceKind.DEVICES,),
        devices=(Device(device, "64 GB", Place("smi.txt", 1)),) if device else (),
    )
    pair = pair_of((config(**settings), machine), config(lr=1))
    assert found("mixed_precision.npu_mode", pair).result is result


def test_loss_scales() -> None:
    id = "mixed_precision.loss_scale"
    dynamic = script(fp16=True, loss_scale_window=1000)
    assert found(id, pair_of(dynamic, script(fp16=True))).result is PASS
    assert found(id, pair_of(dynamic, script(fp16=True, loss_scale=512))).result is FAIL
    assert found(id, pair_of(dynamic, script(fp16=True, initial_loss_scale=65536))).result is FAIL
    assert found(id, pair_of(script(bf16=True), script(bf16=True, loss_scale=5))).result is PASS
    static = found(id, pair_of(script(fp16=True, loss_scale=512), script(fp16=True, loss_scale="512.0")))
    assert (static.result, static.remarks[0].parameters) == (PASS, {"scale": "512"})
    power = saying(
        DEEPSPEED, CONFIG, "ds.json", fp16__enabled=True, fp16__loss_scale=0, fp16__initial_scale_power=32
    )
    assert item(found(id, pair_of(power, dynamic)), "initial_loss_scale").standing is Standing.EQUAL


def test_batches_that_contradict_themselves() -> None:
    wrong = config(world_size=8, micro_batch=2, grad_accum=4, gbs=128)
    finding = found("hyper_parameters.batch", pair_of(wrong, config(gbs=128)))
    assert finding.result is FAIL
    assert finding.message.parameters["formula"] == "2 × 4 × 8 = 64"
    uneven = found("hyper_parameters.batch", pair_of(config(gbs=16), config(world_size=6, tp=4, gbs=16)))
    assert (uneven.result, uneven.message.parameters["formula"]) == (FAIL, "6 / (4 × 1 × 1)")
    assert found("flow.sources_agree", pair_of(wrong, config(gbs=128))).result is FAIL


def test_a_log_tells_the_samples_of_a_step() -> None:
    def logged(samples: int, path: str, *, printed: bool) -> Evidence:
        steps = np.arange(1, 6)
        series = Series.GLOBAL_BATCH if printed else Series.CONSUMED_SAMPLES
        values = np.full(5, float(samples)) if printed else steps * float(samples)
        curves: dict[str, Curve] = {series: Curve(steps, values)}
        run = LoggedRun(path, RunKind.LOG, ("megatron",), Axis.STEP, curves, (), (), 5, 0, ())
        return Evidence(path, (EvidenceKind.LOG,), log=run)

    id = "hyper_parameters.batch"
    golden = logged(64, "gpu.log", printed=False)
    assert found(id, pair_of(logged(64, "npu.log", printed=True), golden)).result is PASS
    finding = found(id, pair_of(logged(32, "npu.log", printed=True), golden))
    assert (finding.result, finding.message.parameters) == (FAIL, {"target": "32", "golden": "64"})
    typed = config(world_size=16, tp=4, pp=2, cp=1, micro_batch=2, grad_accum=8)
    assert found(id, pair_of(typed, golden)).result is FAIL
    wrong = found(id, pair_of((typed, logged(64, "npu.log", printed=True)), golden))
    assert wrong.message.parameters == {"logged": "64", "said": "32"}
    assert found(id, pair_of(golden, config(lr=1))).result is NOT_DONE


def test_unknown_names_are_compared_as_they_are() -> None:
    id = "hyper_parameters.others"
    target = config(z_loss=1e-4, frozen="yes", work_dir="/npu/runs", log_interval=1, save_only=3)
    golden = config(z_loss="0.0001", frozen="yes", work_dir="/gpu/out", log_interval=10)
    finding = found(id, pair_of(target, golden))
    assert finding.result is PASS
    standings = {one.name: one.standing for one in finding.items}
    assert standings == {
        "z_loss": Standing.EQUAL, "frozen": Standing.EQUAL, "work_dir": Standing.REMARK,
        "log_interval": Standing.REMARK, "save_only": Standing.REMARK,
    }  # fmt: skip
    for name in ("z_loss", "moe_token_drop", "adapter_rank", "force_load_balancing", "attention_backend_2"):
        assert found(id, pair_of(config(**{name: 1e-4}), config(**{name: 1e-3}))).result is FAIL
    assert found(id, pair_of(config(alone=1), config(other=1))).result is NOT_DONE
    for name, result in (("router", FAIL), ("router_name", FAIL), ("run_name", NOT_DONE)):
        assert found(id, pair_of(config(**{name: "alpha"}), config(**{name: "beta"}))).result is result
    case = found(id, pair_of(config(router="Alpha", z=1), config(router="alpha", z=1)))
    assert (case.result, item(case, "router").standing) == (PASS, Standing.REMARK)


def test_a_flag_left_out_of_a_complete_script_is_a_difference() -> None:
    finding = found("fused.attention", pair_of(script(use_flash_attn=True), script(lr=1)))
    assert finding.result is FAIL
    kernel = item(finding, "attention_kernel")
    assert (kernel.target, kernel.golden, kernel.standing) == ("flash", "eager", Standing.DIFFERS)
    assert found("fused.attention", pair_of(script(use_flash_attn=True), config(lr=1))).result is NOT_DONE
    fused = found("fused.operators", pair_of(script(use_fused_rmsnorm=True), script(lr=1)))
    assert (fused.result, fused.message.parameters["name"]) == (FAIL, "use-fused-rmsnorm")


def test_what_the_framework_switches_by_itself_does_not_count() -> None:
    """With swiglu Megatron-LM turns the fused gelu off; only a log shows it."""
    typed = script(swiglu=True, bf16=True)
    printed = saying(
        Dialect.MEGATRON, ARGUMENTS, "train.log", swiglu=True, bf16=True, bias_gelu_fusion=False,
        accumulate_allreduce_grads_in_fp32=True, bias_dropout_fusion=True,
    )  # fmt: skip
    fused = found("fused.operators", pair_of(typed, printed))
    assert fused.result is PASS
    assert item(fused, "fused_bias_gelu").standing is Standing.REMARK
    assert found("mixed_precision.same_kind", pair_of(typed, printed)).result is PASS
    assert found("fused.operators", pair_of(script(no_bias_gelu_fusion=True), script(lr=1))).result is FAIL


NAMES = st.sampled_from([row.name for row in shipped_settings().rows.values() if not row.derived])
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9),
    st.sampled_from(["auto", "4k", "inf", 10**400, -(10**20), 0, -1, 1 << 60, 1e308, 5e-324]),
    st.tuples(st.integers(), st.floats()),
)  # fmt: skip


@given(st.dictionaries(NAMES, ODD, max_size=25), st.dictionaries(NAMES, ODD, max_size=25), st.booleans())
def test_no_settings_break_a_check(
    target: dict[str, Value], golden: dict[str, Value], complete: bool
) -> None:
    dialect, kind = (Dialect.MEGATRON, EvidenceKind.SCRIPT) if complete else (PLAIN, CONFIG)
    needed = script().settings if complete else ()
    sides = [
        Evidence(
            path,
            (kind,),
            (*needed, *(Setting(name, value, Place(path), dialect) for name, value in said.items())),
        )
        for path, said in (("a", target), ("b", golden))
    ]
    for id in OF_SETTINGS:
        assert found(id, pair_of(*sides)).result in Outcome
        same = found(id, pair_of(sides[0], sides[0]))
        assert all(one.standing is not Standing.DIFFERS for one in same.items) or id == "flow.sources_agree"


def test_padding_of_the_vocabulary_depends_on_the_split() -> None:
    one = script(vocab_size=50257, tensor_model_parallel_size=1)
    eight = script(vocab_size=50257, tensor_model_parallel_size=8)
    finding = found("model.vocabulary", pair_of(one, eight))
    assert finding.result is FAIL
    padded = item(finding, "padded_vocabulary")
    assert (padded.target, padded.golden) == ("50304", "51200")


def test_dropout_and_seeds() -> None:
    off = script(hidden_dropout=0.0, attention_dropout="0", seed=1)
    assert found("randomness.dropout", pair_of(off, off)).result is PASS
    left = found("randomness.dropout", pair_of(off, script(lr=1)))
    assert (left.result, left.message.parameters["golden"]) == (FAIL, "0.1")
    assert found("randomness.seed", pair_of(off, script(seed=2))).result is FAIL
    assert found("randomness.shuffle", pair_of(off, script(seed=2))).result is FAIL
    assert found("randomness.shuffle", pair_of(off, script(seed=1))).result is PASS
    unshuffled = pair_of(config(shuffle=False, seed=1), config(shuffle="false", seed=2))
    assert found("randomness.shuffle", unshuffled).result is PASS


def test_determinism_by_flag_or_environment() -> None:
    id = "randomness.determinism"
    npu = script(environment={"HCCL_DETERMINISTIC": "true"}, lr=1, npu_deterministic=True)
    gpu = script(deterministic_mode=True)
    finding = found(id, pair_of(npu, gpu))
    assert finding.result is PASS
    assert item(finding, "HCCL_DETERMINISTIC").target == "true"
    off = found(id, pair_of(script(environment={"HCCL_DETERMINISTIC": "false"}, lr=1), gpu))
    assert (off.result, off.message.code) == (FAIL, "precheck.randomness.determinism.off.target")
    listed = Evidence(
        "env.txt", (EvidenceKind.ENVIRONMENT,), environment=(Variable("HOME", "/", Place("env.txt", 1)),)
    )
    assert found(id, pair_of(listed, gpu)).result is FAIL
    parts = [
        script(environment={"HCCL_DETERMINISTIC": "true"}, lr=1),
        script(environment={"CUBLAS_WORKSPACE_CONFIG": ":4096:8"}, lr=1),
    ]
    part = found(id, pair_of(*parts))
    assert (part.result, part.message.code) == (NOT_DONE, "precheck.randomness.determinism.part.target")
    assert (
        found(id, pair_of(script(environment={"OMP_NUM_THREADS": "1"}, num_layers=None), gpu)).result
        is NOT_DONE
    )
    assert found(id, pair_of(config(lr=1), gpu)).result is NOT_DONE


def test_sources_of_one_side() -> None:
    typed = script(lr="1e-3")
    printed = saying(Dialect.MEGATRON, ARGUMENTS, "train.log", lr=0.001)
    other = saying(Dialect.MEGATRON, ARGUMENTS, "train.log", lr=0.002)
    id = "flow.sources_agree"
    assert found(id, pair_of((typed, printed), (typed, printed))).result is PASS
    assert found(id, pair_of((typed, printed), typed)).result is NOT_DONE
    finding = found(id, pair_of((typed, printed), (typed, other)))
    assert finding.result is FAIL
    assert finding.message.parameters == {
        "name": "lr", "first": "0.002 (train.log:1)", "second": "0.001 (train.sh:5)",
    }  # fmt: skip
    assert finding.items[0].golden == "0.002 (train.log:1); 0.001 (train.sh:5)"


def test_programs_are_compared_by_name() -> None:
    here, there = script(program="/npu/pretrain_gpt.py", lr=1), script(program="pretrain_gpt.py", lr=1)
    assert found("flow.launch", pair_of(here, there)).result is PASS
    assert found("flow.launch", pair_of(here, script(program="pretrain_t5.py", lr=1))).result is FAIL
