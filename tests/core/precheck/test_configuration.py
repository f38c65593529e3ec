"""All settings of a side come to one value each, by what they mean."""

from __future__ import annotations

import pytest
from builders.settings import meaning, saying, script
from hypothesis import given
from hypothesis import strategies as st

from core.precheck.configuration import How
from core.precheck.settings.table import shipped_settings
from core.records.evidence import Dialect, Evidence, EvidenceKind, Place, Setting, Value, Variable

CONFIG, ARGUMENTS = EvidenceKind.CONFIG, EvidenceKind.ARGUMENTS
MEGATRON, HUGGING_FACE, DEEPSPEED, PLAIN = (
    Dialect.MEGATRON,
    Dialect.HUGGING_FACE,
    Dialect.DEEPSPEED,
    Dialect.PLAIN,
)


def test_the_table_has_a_place_for_every_name() -> None:
    """Each setting says a check that exists, and no name of a dialect stands for two settings."""
    from core.precheck.checklist import CHECKLIST

    table = shipped_settings()
    assert {row.check for row in table.rows.values()} <= {kind.id for kind in CHECKLIST}
    taken: dict[tuple[Dialect, str], str] = {}
    for row in table.rows.values():
        assert row.instead == "" or row.instead in table.rows
        for dialect, names in row.aliases.items():
            for name in names:
                key = dialect, name.lower().replace("-", "_")
                assert taken.setdefault(key, row.name) == row.name


NAMES = [
    (MEGATRON, "lr", "1e-3", "learning_rate", 0.001),
    (MEGATRON, "--micro-batch-size", "2", "micro_batch", 2),
    (MEGATRON, "micro_batch_size", 2, "micro_batch", 2),
    (MEGATRON, "untie-embeddings-and-output-weights", True, "tied_embeddings", False),
    (MEGATRON, "disable-bias-linear", True, "linear_bias", False),
    (MEGATRON, "no-rope-fusion", True, "fused_rope", False),
    (MEGATRON, "swiglu", True, "activation", "swiglu"),
    (MEGATRON, "use-flash-attn", True, "attention_kernel", "flash"),
    (DEEPSPEED, "optimizer.params.lr", 1e-3, "learning_rate", 0.001),
    (DEEPSPEED, "optimizer.params.betas", (0.9, 0.95), "beta2", 0.95),
    (DEEPSPEED, "train_micro_batch_size_per_gpu", 4, "micro_batch", 4),
    (DEEPSPEED, "train_batch_size", 64, "global_batch", 64),
    (DEEPSPEED, "gradient_clipping", 1.0, "clip_grad", 1),
    (DEEPSPEED, "fp16.loss_scale", 0, "loss_scale", 0),
    (DEEPSPEED, "fp16.initial_scale_power", 16, "initial_loss_scale", 65536),
    (HUGGING_FACE, "per_device_train_batch_size", 8, "micro_batch", 8),
    (HUGGING_FACE, "train_batch_size", 8, "micro_batch", 8),
    (HUGGING_FACE, "max_grad_norm", 1, "clip_grad", 1),
    (HUGGING_FACE, "cutoff_len", "4k", "sequence_length", 4096),
    (HUGGING_FACE, "flash_attn", "fa2", "attention_kernel", "flash"),
    (Dialect.MODEL, "num_key_value_heads", 8, "kv_heads", 8),
    (Dialect.MODEL, "text_config.hidden_size", 4096, "hidden_size", 4096),
    (Dialect.MINDFORMERS, "lr_schedule.learning_rate", 1e-6, "learning_rate", 1e-6),
    (Dialect.MINDFORMERS, "parallel_config.model_parallel", 4, "tensor_parallel", 4),
    (Dialect.LAUNCHER, "nproc_per_node", "8", "processes_per_node", 8),
    (MEGATRON, "optimizer", "adam", "optimizer", "adamw"),
    (PLAIN, "optimizer_type", "Adam", "optimizer", "adam"),
    (Dialect.MODEL, "hidden_act", "silu", "activation", "swiglu"),
    (PLAIN, "tp", 2, "tensor_parallel", 2),
    (PLAIN, "trainer.optim.lr", 1e-3, "learning_rate", 0.001),
    (PLAIN, "amp", True, "automatic_precision", True),
]


@pytest.mark.parametrize(("dialect", "name", "value", "canonical", "meant"), NAMES)
def test_names_of_every_dialect(
    dialect: Dialect, name: str, value: Value, canonical: str, meant: object
) -> None:
    place = Place("file", 3)
    known = meaning(Evidence("file", (CONFIG,), (Setting(name, value, place, dialect),))).get(canonical)
    assert known is not None
    assert (known.value, known.place, known.said_as) == (meant, place, name)


@given(st.sampled_from([row.name for row in shipped_settings().rows.values() if not row.derived]), st.data())
def test_case_and_dashes_do_not_count(name: str, data: st.DataObject) -> None:
    spelled = "".join(
        data.draw(st.sampled_from([letter, letter.upper()]))
        if letter != "_"
        else data.draw(st.sampled_from("-_"))
        for letter in name
    )
    assert shipped_settings().knows(spelled, PLAIN)


@given(
    st.text(max_size=40),
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20)),
)
def test_anything_may_be_said(name: str, value: Value) -> None:
    for dialect in Dialect:
        meaning(Evidence("file", (CONFIG,), (Setting(name, value, Place("file"), dialect),)))


def test_the_last_part_of_a_name_tells_only_alone() -> None:
    alone = saying(PLAIN, CONFIG, "a.yaml", model__net__hidden_size=64)
    assert meaning(alone).value("hidden_size") == 64
    twice = saying(PLAIN, CONFIG, "a.yaml", encoder__hidden_size=64, decoder__hidden_size=128)
    known = meaning(twice)
    assert known.get("hidden_size") is None
    assert [item.name for item in known.others] == ["encoder.hidden_size", "decoder.hidden_size"]
    assert meaning(saying(PLAIN, CONFIG, "a.yaml", vision_config__hidden_size=64)).get("hidden_size") is None
    assert meaning(saying(PLAIN, CONFIG, "a.yaml", eval_loader__batch_size=64)).get("micro_batch") is None


def test_what_is_printed_holds_before_the_command_line_and_this_before_a_file() -> None:
    printed = saying(MEGATRON, ARGUMENTS, "train.log", lr=0.003)
    script = saying(MEGATRON, lr=0.002)
    file = saying(PLAIN, CONFIG, "config.yaml", lr=0.001)
    known = meaning(file, script, printed).get("learning_rate")
    assert known is not None
    assert (known.value, known.how, known.place) == (0.003, How.PRINTED, Place("train.log", 1))
    assert meaning(file, script).value("learning_rate") == 0.002


def test_two_values_of_one_setting_are_a_conflict() -> None:
    known = meaning(script(lr="2e-3"), saying(MEGATRON, ARGUMENTS, "train.log", lr=0.003, seed=1))
    assert [conflict.name for conflict in known.conflicts] == ["learning_rate"]
    assert [said.spelled for said in known.conflicts[0].values] == ["0.003", "0.002"]
    assert not meaning(script(lr="2e-3"), saying(MEGATRON, ARGUMENTS, "train.log", lr=0.002)).conflicts


def test_of_a_name_said_twice_the_later_one_holds() -> None:
    place = Place("train.sh", 1)
    twice = tuple(Setting("lr", value, place, MEGATRON) for value in ("1", "2"))
    known = meaning(Evidence("train.sh", (EvidenceKind.SCRIPT,), twice))
    assert known.value("learning_rate") == 2
    assert not known.conflicts


def test_the_environment_speaks_where_nothing_else_does() -> None:
    environment = Evidence(
        "env.txt", (EvidenceKind.ENVIRONMENT,), environment=(Variable("SEED", "7", Place("env.txt", 1)),)
    )
    assert meaning(environment).value("seed") == 7
    known = meaning(environment, script(seed=1))
    assert known.value("seed") == 1
    assert not known.conflicts
    assert not known.others


def test_a_default_holds_only_where_all_settings_are_told() -> None:
    decay = meaning(script()).get("weight_decay")
    assert decay is not None
    assert (decay.value, decay.how, decay.place) == (0.01, How.DEFAULT, None)
    assert meaning(script(num_layers=None)).get("weight_decay") is None
    assert meaning(saying(PLAIN, CONFIG, "part.yaml", lr=1e-3)).get("weight_decay") is None
    trainer = saying(HUGGING_FACE, CONFIG, "sft.yaml", output_dir="out", learning_rate=1e-5)
    assert meaning(trainer).value("micro_batch") == 8
    assert meaning(saying(HUGGING_FACE, CONFIG, "sft.yaml", learning_rate=1e-5)).get("micro_batch") is None


def test_auto_leaves_the_value_to_the_trainer() -> None:
    deepspeed = saying(
        DEEPSPEED, CONFIG, "ds.json", train_micro_batch_size_per_gpu="auto", bf16__enabled="auto"
    )
    trainer = saying(HUGGING_FACE, EvidenceKind.SCRIPT, per_device_train_batch_size=2, bf16=True)
    known = meaning(deepspeed, trainer)
    assert (known.value("micro_batch"), known.value("precision")) == (2, "bf16")
    assert not known.conflicts


def test_a_value_that_only_the_machine_knows_is_no_value() -> None:
    setting = Setting("lr", "${LR}", Place("train.sh", 4), MEGATRON, known=False)
    known = meaning(Evidence("train.sh", (EvidenceKind.SCRIPT,), (setting,)))
    assert known.get("learning_rate") is None
    assert known.unknown["learning_rate"] is setting


def test_logs_of_further_runs_say_nothing_of_the_side() -> None:
    repeat = Evidence(
        "repeat.log",
        (EvidenceKind.REPEAT_LOG, ARGUMENTS),
        (Setting("lr", 0.5, Place("repeat.log", 1), MEGATRON),),
    )
    assert meaning(repeat).get("learning_rate") is None
