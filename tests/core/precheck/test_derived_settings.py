"""What follows from settings, against plain computations and published numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from builders.settings import meaning, saying, script
from hypothesis import given
from hypothesis import strategies as st

from core.precheck.configuration import Configuration, How
from core.precheck.settings import formulas
from core.precheck.settings.formulas import Decoder, Uneven, Worked
from core.records.evidence import Dialect, EvidenceKind

size = st.integers(1, 64)


def plain(**settings: int | float) -> Configuration:
    return meaning(saying(Dialect.PLAIN, EvidenceKind.CONFIG, "config.json", **settings))


@given(size, size, size, size, size, size)
def test_batch_follows_from_devices_and_split(
    replicas: int, tensor: int, pipeline: int, context: int, micro: int, times: int
) -> None:
    world = replicas * tensor * pipeline * context
    known = plain(world_size=world, tp=tensor, pp=pipeline, cp=context, micro_batch=micro, grad_accum=times)
    assert known.value("data_parallel") == replicas
    assert known.value("global_batch") == micro * times * replicas
    assert not known.contradictions


@given(st.integers(1, 4096), size, size, size)
def test_uneven_splits_are_a_contradiction(world: int, tensor: int, pipeline: int, context: int) -> None:
    known = plain(world_size=world, tp=tensor, pp=pipeline, cp=context)
    exact = Fraction(world, tensor * pipeline * context)
    assert bool(known.contradictions) is (exact.denominator != 1)
    assert known.value("data_parallel") == (int(exact) if exact.denominator == 1 else None)


def test_the_remark_shows_the_formula_with_its_numbers() -> None:
    known = plain(world_size=16, tp=4, pp=2, cp=1, micro_batch=2, grad_accum=8).get("data_parallel")
    assert known is not None
    assert known.remark is not None
    assert (known.how, known.remark.parameters["formula"]) == (How.DERIVED, "16 / (4 × 2 × 1) = 2")


def test_accumulation_follows_from_the_global_batch() -> None:
    known = plain(world_size=8, micro_batch=2, gbs=64, seq_length=4096)
    assert known.value("gradient_accumulation") == 4
    assert known.value("tokens_per_step") == 64 * 4096
    uneven = plain(world_size=8, micro_batch=3, gbs=64)
    assert [item.name for item in uneven.contradictions] == ["gradient_accumulation"]


def test_replicas_follow_from_a_printed_batch() -> None:
    assert plain(micro_batch=2, grad_accum=4, gbs=64).value("data_parallel") == 8
    assert plain(micro_batch=3, grad_accum=4, gbs=64).contradictions


def test_a_said_batch_that_the_formula_contradicts() -> None:
    known = plain(world_size=8, micro_batch=2, grad_accum=4, gbs=128)
    assert known.value("global_batch") == 128
    assert known.contradictions[0].message.parameters["formula"] == "2 × 4 × 8 = 64"


@given(st.integers(1, 300_000), st.integers(1, 256), st.integers(1, 16))
def test_padded_vocabulary_is_the_next_multiple(words: int, divisor: int, tensor: int) -> None:
    padded = words
    while padded % (divisor * tensor):
        padded += 1
    assert formulas.padded_vocabulary(words, divisor, tensor).value == padded


def test_padded_vocabulary_as_megatron_prints_it() -> None:
    """GPT-2's 50257 words, padded with 47 dummy words on one rank."""
    assert formulas.padded_vocabulary(50257, 128, 1).value == 50304
    assert formulas.padded_vocabulary(50257, 128, 8).value == 51200


@given(st.integers(1, 1000), st.integers(1, 100_000))
def test_warm_up_of_a_fraction_in_the_arithmetic_of_each_framework(thousandths: int, steps: int) -> None:
    fraction = thousandths / 1000
    made = {
        dialect: formulas.warmup_of_fraction(fraction, steps, dialect).value
        for dialect in (Dialect.HUGGING_FACE, Dialect.MINDFORMERS, Dialect.MEGATRON)
    }
    assert made[Dialect.HUGGING_FACE] == math.ceil(steps * fraction)
    assert made[Dialect.MINDFORMERS] == int(steps * fraction)
    assert made[Dialect.MEGATRON] == pytest.approx(float(Fraction(thousandths, 1000) * steps), rel=1e-15)


@pytest.mark.parametrize(
    ("shape", "published"),
    [
        # Llama 2 7B and 70B, Mistral 7B, GPT-2: numbers of parameters of the published checkpoints.
        (Decoder(32, 4096, 32, 32, 128, 11008, 32000, gated=True, tied=False, rms_norm=True), 6_738_415_616),
        (Decoder(80, 8192, 64, 8, 128, 28672, 32000, gated=True, tied=False, rms_norm=True), 68_976_648_192),
        (Decoder(32, 4096, 32, 8, 128, 14336, 32000, gated=True, tied=False, rms_norm=True), 7_241_732_096),
        (Decoder(12, 768, 12, 12, 64, 3072, 50257, positions=1024, linear_bias=True), 124_439_808),
        (
            Decoder(32, 4096, 32, 8, 128, 14336, 32000, gated=True, tied=False, rms_norm=True, experts=8),
            46_702_792_704,
        ),
    ],
)
def test_parameters_of_published_models(shape: Decoder, published: int) -> None:
    assert formulas.parameters(shape).value == published


def test_a_model_configuration_alone_gives_its_number_of_parameters() -> None:
    known = meaning(
        saying(
            Dialect.MODEL, EvidenceKind.CONFIG, "config.json", num_hidden_layers=32, hidden_size=4096,
            num_attention_heads=32, num_key_value_heads=8, intermediate_size=14336, vocab_size=32000,
            rms_norm_eps=1e-5, hidden_act="silu", tie_word_embeddings=False,
        )
    )  # fmt: skip
    assert known.value("parameters") == 7_241_732_096


def test_megatron_takes_its_own_width_where_none_is_said() -> None:
    assert formulas.feed_forward_width(4096, gated=True) == Worked(
        10880, "⌊4 × 4096 × 2/3 / 64⌋ × 64 = 10880"
    )
    assert formulas.feed_forward_width(1024, gated=False).value == 4096
    known = meaning(script(num_layers=2, hidden_size=1024, num_attention_heads=16, lr=1e-3))
    assert known.value("ffn_hidden_size") == 4096
    assert known.value("kv_heads") == 16
    assert known.value("head_size") == 64


def test_steps_follow_from_samples() -> None:
    known = meaning(
        script(
            lr=1e-3, train_samples=1000, lr_warmup_samples=96, lr_wsd_decay_samples=80, micro_batch_size=2,
            global_batch_size=32,
        )
    )  # fmt: skip
    names = ("train_steps", "decay_steps", "warmup_steps", "annealing_steps")
    assert [known.value(name) for name in names] == [31, 31.25, 3, 2.5]


def test_precision_follows_from_the_flags() -> None:
    assert meaning(script(bf16=True)).value("precision") == "bf16"
    assert meaning(script(fp16=True)).value("precision") == "fp16"
    assert meaning(script(lr=1)).value("precision") == "fp32"
    assert plain(lr=1).value("precision") is None


def test_uneven_numbers_say_how_they_were_divided() -> None:
    assert formulas.accumulation(10, 3, 1) == Uneven("10 / (3 × 1)")
