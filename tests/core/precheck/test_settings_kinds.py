"""Other data, models and tokenizers, what one side alone says, consequences, and defaults of one trainer."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from builders.settings import found, meaning, pair_of, saying, script, side_of
from hypothesis import given
from hypothesis import strategies as st

from core.precheck.checklist import CHECKLIST
from core.precheck.configuration import How
from core.precheck.finding import Finding
from core.precheck.pair import Pair
from core.precheck.settings.places import is_doubtful, named_by
from core.precheck.settings.table import shipped_settings
from core.precheck.settings.values import SettingKind
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting, Value
from core.records.precheck import Item, Outcome, Standing

PASS, FAIL, NOT_DONE = Outcome.PASS, Outcome.FAIL, Outcome.NOT_DONE
CONFIG, ARGUMENTS = EvidenceKind.CONFIG, EvidenceKind.ARGUMENTS
WORDS = st.text("abcxyz", min_size=3, max_size=8)


def item(finding: Finding, name: str) -> Item:
    return next(one for one in finding.items if one.name == name)


def llama_factory(**settings: Value) -> Evidence:
    whole: dict[str, Value] = {"stage": "sft", "finetuning_type": "lora", "output_dir": "out", "bf16": True}
    return saying(Dialect.HUGGING_FACE, CONFIG, "sft.yaml", **{**whole, **settings})


SAME = [
    ("/npu/llama2-7b/", "/gpu/models/Llama2-7B"),
    ("Qwen/Qwen2.5-7B", "~/.cache/hub/models--Qwen--Qwen2.5-7B/snapshots/0ab1"),
    ("/d/llama2-7b-hf", "./ckpt/llama2-7b-mcore-tp8-pp2"),
    ("/d/alpaca_npu_text_document", "/d/alpaca_gpu_text_document"),
    ("/npu/models/tokenizer.model", "/gpu/tokenizer.model"),
    ("1.0 /d/alpaca", "/e/alpaca"),
    ("3 /d/a 7 /d/b", "0.3 /e/a 0.7 /e/b"),
]
OTHER = [
    ("/d/llama2-7b-chat", "/d/llama2-7b"),
    ("Qwen/Qwen2.5-7B", "Qwen/Qwen2.5-7B-Instruct"),
    ("/d/alpaca_text_document", "/d/wikitext_text_document"),
    ("0.3 /d/a 0.7 /d/b", "0.7 /d/a 0.3 /d/b"),
    ("/d/a /d/b", "/d/a"),
    ("./ckpt/iter_0001000", "./ckpt/iter_0002000"),
]


@pytest.mark.parametrize(("target", "golden"), SAME)
def test_one_thing_at_two_places(target: str, golden: str) -> None:
    assert named_by(target) == named_by(golden)
    assert named_by(tuple(target.split())) == named_by(golden)


@pytest.mark.parametrize(("target", "golden"), OTHER)
def test_two_things(target: str, golden: str) -> None:
    assert named_by(target) != named_by(golden)
    assert not is_doubtful(named_by(target), named_by(golden))


@given(WORDS, st.lists(WORDS, max_size=4), st.lists(WORDS, max_size=4))
def test_folders_do_not_count(name: str, here: list[str], there: list[str]) -> None:
    assert named_by("/".join(["", *here, name])) == named_by("/".join(["..", *there, name, ""]))
    assert named_by(f"{name}-1b") != named_by(f"{name}-2b")


@given(st.one_of(st.text(), st.integers(), st.floats(), st.tuples(st.text(), st.floats(0, 1))))
def test_anything_may_be_a_place(value: Value) -> None:
    assert isinstance(named_by(value), str | tuple)


PLACED = [row for row in shipped_settings().rows.values() if row.kind is SettingKind.PLACES]


@pytest.mark.parametrize("row", PLACED, ids=lambda row: row.name)
def test_another_data_set_model_or_tokenizer_fails(row) -> None:  # type: ignore[no-untyped-def]
    for dialect, names in row.aliases.items():
        for name in names:

            def said(value: str, name: str = name, dialect: Dialect = dialect) -> Evidence:
                return Evidence("c", (CONFIG,), (Setting(name, value, Place("c", 1), dialect),))

            other = found(row.check, pair_of(said("/d/first-7b"), said("/d/second-7b")))
            assert other.result is FAIL
            assert item(other, row.name).target == "/d/first-7b"
            moved = found(row.check, pair_of(said("/npu/first-7b"), said("/gpu/first-7b/")))
            assert moved.result is not FAIL
            assert item(moved, row.name).standing is Standing.REMARK
            doubtful = found(row.check, pair_of(said("/a/old/train.json"), said("/a/new/train.json")))
            assert doubtful.result is NOT_DONE


def test_the_same_name_of_a_start_model_is_not_the_same_weights() -> None:
    same = found("weights.initial", pair_of(script(load="/npu/llama2-7b"), script(load="/gpu/llama2-7b")))
    assert same.result is NOT_DONE


@pytest.mark.parametrize(
    ("id", "name", "value"),
    [
        ("hyper_parameters.others", "neftune_noise_alpha", 5),
        ("dataset.preprocessing", "packing", True),
        ("hyper_parameters.others", "additional_target", "embed_tokens"),
    ],
)
def test_what_one_configuration_alone_says_fails_where_the_other_tells_all(
    id: str, name: str, value: Value
) -> None:
    more, less = llama_factory(z=1, **{name: value}), llama_factory(z=1)
    for pair in (pair_of(more, less), pair_of(less, more)):
        finding = found(id, pair)
        assert finding.result is FAIL
        assert finding.message.parameters["name"] == name
    part = saying(Dialect.HUGGING_FACE, CONFIG, "part.yaml", z=1, streaming=False)
    open_one = found(id, pair_of(saying(Dialect.PLAIN, CONFIG, "a", z=1, **{name: value}), part))
    assert open_one.result is NOT_DONE


@pytest.mark.parametrize("flag", ["finetune", "no_weight_decay_cond_type", "reuse_fp32_param"])
def test_an_unknown_option_of_one_complete_script_fails(flag: str) -> None:
    finding = found("hyper_parameters.others", pair_of(script(**{flag: True}), script(lr=1)))
    assert finding.result is FAIL
    noise = found("hyper_parameters.others", pair_of(script(save="/a", log_interval=1), script(lr=1)))
    assert noise.result is NOT_DONE


def test_what_a_training_printed_may_be_a_default_of_both() -> None:
    printed = saying(
        Dialect.MEGATRON, ARGUMENTS, "train.log", **{f"zz_{n}": n + 2 for n in range(40)}, off=False, lr=1e-3
    )
    finding = found("hyper_parameters.others", pair_of(printed, script(zz_1=3)))
    assert finding.result is NOT_DONE
    assert item(finding, "off").standing is Standing.REMARK


def test_what_hangs_on_an_unknown_flag_is_unknown() -> None:
    setting = Setting("bf16", True, Place("train.sh", 9), Dialect.MEGATRON, known=False)
    whole = script(lr=1)
    unset = Evidence("train.sh", (EvidenceKind.SCRIPT,), (*whole.settings, setting))
    finding = found("mixed_precision.same_kind", pair_of(unset, script(bf16=True)))
    assert finding.result is NOT_DONE
    assert item(finding, "precision").standing is Standing.UNKNOWN


def test_one_file_named_in_two_ways_is_one_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ds.json").write_text('{"train_micro_batch_size_per_gpu": 2}')
    Path("link.json").symlink_to("ds.json")
    for named in ("ds.json", "./ds.json", str(tmp_path / "ds.json"), "link.json"):
        twice = tuple(
            Evidence(path, (CONFIG,), (Setting("train_batch_size", 64, Place(path), Dialect.DEEPSPEED),))
            for path in (named, str(tmp_path / "ds.json"))
        )
        known = meaning(*twice)
        assert (known.sources, known.confirmed) == (1, 0)


def test_a_config_that_is_named_and_given_agrees_with_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ds.json").write_text('{"train_micro_batch_size_per_gpu": 2, "gradient_clipping": 1.0}')
    Path("sft.yaml").write_text("stage: sft\noutput_dir: o\ndeepspeed: ds.json\nbf16: true\n")
    for paths in (["sft.yaml", "ds.json"], [os.path.abspath("sft.yaml"), "ds.json"]):  # noqa: PTH100
        side = side_of(*map(Path, paths))
        assert found("flow.sources_agree", Pair(side, side)).result is NOT_DONE


def test_defaults_of_llama_factory() -> None:
    known = meaning(llama_factory())
    assert known.value("recomputation") == "full"
    assert known.value("scale_of_adapter") == 16
    assert meaning(saying(Dialect.HUGGING_FACE, output_dir="o")).value("recomputation") == "none"
    finding = found("fused.recomputation", pair_of(llama_factory(), script(lr=1)))
    assert finding.result is FAIL
    off = llama_factory(disable_gradient_checkpointing=True)
    assert found("fused.recomputation", pair_of(off, script(lr=1))).result is PASS
    alpha = found(
        "model.details", pair_of(llama_factory(lora_rank=8), llama_factory(lora_rank=8, lora_alpha=32))
    )
    assert (alpha.result, item(alpha, "scale_of_adapter").target) == (FAIL, "16")


def test_a_row_that_passes_lists_what_it_compared() -> None:
    for kind in ("fused.operators", "fused.recomputation", "mixed_precision.same_kind"):
        finding = found(kind, pair_of(script(lr=1, bf16=True), script(lr=1, bf16=True)))
        assert finding.result is PASS
        assert finding.items


def test_steps_that_follow_from_the_batch_are_a_consequence() -> None:
    def trainer(batch: int, steps: int) -> Evidence:
        return llama_factory(
            num_train_epochs=3, total_train_batch_size=batch, total_optimization_steps=steps, learning_rate=1
        )

    pair = pair_of(trainer(64, 45), trainer(32, 93))
    assert found("hyper_parameters.batch", pair).result is FAIL
    rate = found("hyper_parameters.learning_rate", pair)
    assert rate.result is not FAIL
    steps = item(rate, "train_steps")
    assert steps.standing is Standing.REMARK
    assert steps.remark is not None
    assert steps.remark.parameters == {"name": "global_batch"}
    alone = found("hyper_parameters.learning_rate", pair_of(trainer(64, 45), trainer(64, 93)))
    assert alone.result is FAIL


def test_another_cut_of_one_global_batch_is_told_as_that() -> None:
    def cut(micro: int, accumulated: int) -> Evidence:
        return saying(
            Dialect.PLAIN, CONFIG, "c.yaml", world_size=4, micro_batch=micro, grad_accum=accumulated
        )

    finding = found("hyper_parameters.batch", pair_of(cut(8, 2), cut(4, 4)))
    assert (finding.result, finding.message.code) == (FAIL, "precheck.hyper_parameters.batch.cut")
    assert finding.message.parameters["global"] == "64"


@pytest.mark.parametrize(
    "name",
    [
        "softmax_compute_dtype", "softmax_compute_type", "layernorm_compute_dtype", "rotary_dtype",
        "param_init_type", "params_dtype", "attention_softmax_in_fp32", "compute_dtype", "router_dtype",
        "residual_in_fp32", "cast_logits_to_fp32", "moe.gate_compute_type",
    ],
)  # fmt: skip
def test_formats_of_parts_belong_to_the_precision(name: str) -> None:
    def said(value: Value) -> Evidence:
        return Evidence(
            "c", (CONFIG,), (Setting(f"model.model_config.{name}", value, Place("c"), Dialect.MINDFORMERS),)
        )

    values: tuple[Value, Value] = (True, False) if name.endswith("fp32") else ("float32", "bfloat16")
    pair = pair_of(said(values[0]), said(values[1]))
    assert found("mixed_precision.same_kind", pair).result is FAIL
    assert not found("hyper_parameters.others", pair).items


def test_ranks_put_causes_before_what_hides_them() -> None:
    ranks = {kind.id: kind.rank for kind in CHECKLIST}
    assert ranks["model.details"] < min(ranks["source.difference"], ranks["versions.packages"])
    assert ranks["randomness.determinism"] == len(CHECKLIST)


def test_a_default_is_known_as_one() -> None:
    known = meaning(llama_factory()).get("recomputation")
    assert known is not None
    assert known.how is How.DEFAULT
    assert known.remark is not None
    assert known.remark.parameters == {"framework": "LLaMA-Factory"}


LAUNCH = (
    "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 2 --hidden-size 16 --num-attention-heads 2 "
    "--micro-batch-size 1 --lr 1e-5 --clip-grad 1.0 --hidden-dropout 0"
)


def test_parts_of_a_script_that_are_not_here_are_told(tmp_path: Path) -> None:
    full, part = tmp_path / "full.sh", tmp_path / "part.sh"
    full.write_text(f"{LAUNCH}\n")
    part.write_text(
        "source /usr/local/Ascend/ascend-toolkit/set_env.sh\nsource ./model.sh\n"
        f"{LAUNCH.replace(' --clip-grad 1.0', '')} $EXTRA_ARGS ${{MORE_OPTS:-}} $@\n"
    )
    pair = Pair(side_of(full), side_of(part))
    told = [(problem.code, problem.parameters) for problem in pair.golden.evidence[0].problems]
    assert told == [
        ("script_part_missing", {"name": "./model.sh", "line": 2}),
        ("script_unfilled", {"name": "$EXTRA_ARGS", "line": 3}),
    ]
    assert pair.golden.configuration.value("hidden_dropout") == 0
    # What is not told there may stand in the part that is not here: no default holds.
    assert found("hyper_parameters.optimizer", pair).result is NOT_DONE
    assert found("hyper_parameters.others", pair).result is NOT_DONE
    (tmp_path / "model.sh").write_text("EXTRA_ARGS='--clip-grad 1.0'\n")
    whole = Pair(side_of(full), side_of(part))
    assert not whole.golden.evidence[0].problems
    assert found("hyper_parameters.optimizer", whole).result is PASS


def test_a_flag_in_an_open_branch_is_told_as_that(tmp_path: Path) -> None:
    path = tmp_path / "t.sh"
    path.write_text(f'if [ "$FP" = fp16 ]; then P=--fp16; else P=--bf16; fi\n{LAUNCH} $P\n')
    finding = found("mixed_precision.one_kind", Pair(side_of(path), side_of(path)))
    assert finding.result is NOT_DONE
    assert "precheck.setting.branch" in {one.remark.code for one in finding.items if one.remark}


def test_settings_are_called_as_their_files_call_them() -> None:
    adapters = pair_of(llama_factory(lora_alpha=16), llama_factory(lora_alpha=32))
    alpha = found("model.details", adapters)
    assert item(alpha, "scale_of_adapter").called == "lora_alpha"
    assert alpha.message.parameters["name"] == "lora_alpha"
    rates = pair_of(
        script(lr=1e-3), saying(Dialect.HUGGING_FACE, path="b.sh", learning_rate=1e-3, output_dir="o")
    )
    rate = item(found("hyper_parameters.learning_rate", rates), "learning_rate")
    assert rate.called == "lr / learning_rate"
    # A word for the opposite, or for one element, does not go with the value that is shown.
    off = item(found("fused.operators", pair_of(script(no_rope_fusion=True), script(lr=1))), "fused_rope")
    assert (off.called, off.target) == ("fused_rope (no-rope-fusion)", "false")
    both = item(found("fused.operators", pair_of(script(lr=1), script(lr=1))), "fused_rope")
    assert both.called == "fused_rope"


def test_conflicts_are_called_as_their_files_call_them() -> None:
    typed = script(lr="1e-3")
    other = saying(Dialect.MEGATRON, ARGUMENTS, "train.log", lr=0.002)
    finding = found("flow.sources_agree", pair_of((typed, other), typed))
    assert (finding.message.parameters["name"], finding.items[0].called) == ("lr", "lr")
    assert finding.items[0].name == "learning_rate"
