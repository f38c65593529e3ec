"""Configurations in yaml, JSON, TOML and ini."""

from __future__ import annotations

import json
import math
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.documents.reading import read_document
from core.formats.evidence.evidence_file import EvidenceFile
from core.records.evidence import Dialect, Evidence, EvidenceKind, Value


def read(name: str, text: str | bytes) -> Evidence | None:
    content = text if isinstance(text, bytes) else dedent(text).encode("utf-8", "surrogatepass")
    return read_document(EvidenceFile("/jobs/" + name, content=content))


def values(found: Evidence | None) -> dict[str, Value]:
    assert found is not None
    return {item.name: item.value for item in found.settings}


def dialect(found: Evidence | None) -> Dialect:
    assert found is not None
    return found.settings[0].dialect


DEEPSPEED = """{
  // as people write it
  "train_micro_batch_size_per_gpu": "auto", /* of transformers */
  "optimizer": {"type": "AdamW", "params": {"lr": 1e-5, "betas": [0.9, 0.95],}},
  "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "none"}}, # hash
  "fp16": {"enabled": true, "loss_scale": 0, "initial_scale_power": 16},
}
"""


def test_deepspeed_json_with_comments_and_trailing_commas() -> None:
    found = read("ds_config.json", DEEPSPEED)
    assert dialect(found) is Dialect.DEEPSPEED
    assert values(found) == {
        "train_micro_batch_size_per_gpu": "auto", "optimizer.type": "AdamW", "optimizer.params.lr": 1e-5,
        "optimizer.params.betas": (0.9, 0.95), "zero_optimization.stage": 3,
        "zero_optimization.offload_optimizer.device": "none", "fp16.enabled": True, "fp16.loss_scale": 0,
        "fp16.initial_scale_power": 16,
    }  # fmt: skip
    assert found is not None
    assert found.kinds == (EvidenceKind.CONFIG,)
    lines = DEEPSPEED.split("\n")
    for item in found.settings:
        assert f'"{item.name.rpartition(".")[2]}"' in lines[item.place.line - 1]


def test_llama_factory_yaml() -> None:
    found = read(
        "llama3_lora_sft.yaml",
        """
        ### model
        model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
        stage: sft
        finetuning_type: lora
        lora_target: all
        dataset: identity,alpaca_en_demo
        cutoff_len: 2048
        overwrite_cache: true
        per_device_train_batch_size: 1
        gradient_accumulation_steps: 8
        learning_rate: 1.0e-4
        num_train_epochs: 3.0
        lr_scheduler_type: cosine
        warmup_ratio: 0.1
        bf16: true
        ddp_timeout: 180000000
        resume_from_checkpoint: null
        """,
    )
    assert dialect(found) is Dialect.HUGGING_FACE
    assert values(found) == {
        "model_name_or_path": "meta-llama/Meta-Llama-3-8B-Instruct",
        "stage": "sft",
        "finetuning_type": "lora",
        "lora_target": "all",
        "dataset": "identity,alpaca_en_demo",
        "cutoff_len": 2048,
        "overwrite_cache": True,
        "per_device_train_batch_size": 1,
        "gradient_accumulation_steps": 8,
        "learning_rate": 1e-4,
        "num_train_epochs": 3.0,
        "lr_scheduler_type": "cosine",
        "warmup_ratio": 0.1,
        "bf16": True,
        "ddp_timeout": 180000000,
        "resume_from_checkpoint": None,
    }


def test_mindformers_yaml_with_anchors_and_lists_of_sections() -> None:
    found = read(
        "pretrain_llama.yaml",
        """
        seed: 0
        run_mode: 'train'
        use_parallel: True
        runner_config: {epochs: 2, batch_size: 1, sink_mode: True}
        lr_schedule: &schedule
          type: CosineWithWarmUpLR
          learning_rate: 5e-5
        eval_schedule:
          <<: *schedule
          type: ConstantLR
        parallel_config:
          data_parallel: 8
          model_parallel: 1
        train_dataset: &train
          input_columns: ["input_ids", "labels"]
        callbacks:
          - type: MFLossMonitor
          - type: CheckpointMonitor
            prefix: "llama"
        model:
          model_config:
            num_layers: 32
        """,
    )
    assert dialect(found) is Dialect.MINDFORMERS
    assert values(found) == {
        "seed": 0,
        "run_mode": "train",
        "use_parallel": True,
        "runner_config.epochs": 2,
        "runner_config.batch_size": 1,
        "runner_config.sink_mode": True,
        "lr_schedule.type": "CosineWithWarmUpLR",
        "lr_schedule.learning_rate": 5e-5,
        "eval_schedule.type": "ConstantLR",
        "eval_schedule.learning_rate": 5e-5,
        "parallel_config.data_parallel": 8,
        "parallel_config.model_parallel": 1,
        "train_dataset.input_columns": ("input_ids", "labels"),
        "callbacks.0.type": "MFLossMonitor",
        "callbacks.1.type": "CheckpointMonitor",
        "callbacks.1.prefix": "llama",
        "model.model_config.num_layers": 32,
    }


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        (
            "config.json",
            '{"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "rms_norm_eps": 1e-05}',
            Dialect.MODEL,
        ),
        ("args.json", '{"per_device_train_batch_size": 4, "output_dir": "x"}', Dialect.HUGGING_FACE),
        (
            "default_config.yaml",
            "distributed_type: FSDP\nfsdp_config:\n  fsdp_offload_params: no\nnum_processes: 8\n",
            Dialect.LAUNCHER,
        ),
        ("megatron.yaml", "micro_batch_size: 1\nnum_layers: 2\nseq_length: 4096\n", Dialect.MEGATRON),
        ("mm.json", '{"model": {"num_layers": 2, "ffn_hidden_size": 4}}', Dialect.MEGATRON),
        (
            "c.json",
            '{"world_size": 16, "tp": 2, "pp": 2, "cp": 1, "micro_batch": 2, "grad_accum": 8}',
            Dialect.PLAIN,
        ),
        (
            "trainer_state.json",
            '{"epoch": 1.0, "log_history": [{"loss": 1, "step": 1}], "max_steps": 10, "train_batch_size": 2}',
            Dialect.HUGGING_FACE,
        ),
        ("train.toml", "[optimizer]\nlr = 1e-4\n", Dialect.PLAIN),
        ("train.ini", "[optimizer]\nlr = 1e-4 ; comment\n", Dialect.PLAIN),
        ("settings", "micro_batch_size: 1\nnum_layers: 2\n", Dialect.MEGATRON),
    ],
)
def test_dialects(name: str, text: str, expected: Dialect) -> None:
    found = read(name, text)
    assert dialect(found) is expected
    assert not any(item.startswith("log_history") for item in values(found))


def test_sections_of_toml_and_ini_have_their_lines() -> None:
    toml = read("a.toml", '[train]\nlr = 1e-4\n[train.data]\n"files" = ["a", "b"]\nwhen = 2024-01-01\n')
    ini = read("a.ini", "[train]\n\nlr = 1e-4\nshuffle = off\nname: x\n")
    assert toml is not None
    assert ini is not None
    assert values(toml) == {"train.lr": 1e-4, "train.data.files": ("a", "b"), "train.data.when": "2024-01-01"}
    assert values(ini) == {"train.lr": 1e-4, "train.shuffle": False, "train.name": "x"}
    assert [item.place.line for item in toml.settings] == [2, 4, 5]
    assert [item.place.line for item in ini.settings] == [3, 4, 5]


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1e-5", 1e-5),
        ("1E5", 1e5),
        ("1.0e-05", 1e-5),
        (".5", 0.5),
        ("1_000", 1000),
        ("0x1F", 31),
        ("010", 8),
        ("on", True),
        ("No", False),
        ("~", None),
        ('"1e-5"', "1e-5"),
        ("'on'", "on"),
        ("1e-5x", "1e-5x"),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("inf", "inf"),
        ("9" * 5000, "9" * 4000),
        ("1e999", math.inf),
    ],
)
def test_words_of_yaml(word: str, value: Value) -> None:
    assert values(read("a.yaml", f"lr: {word}\n"))["lr"] == value


def test_numbers_that_yaml_11_knows_are_read_as_pyyaml_reads_them() -> None:
    words = [
        "1",
        "-3",
        "+4",
        "1.5",
        "1.5e+3",
        "-0.0",
        "0o17",
        "017",
        "yes",
        "Off",
        "null",
        "text",
        "1_0",
        "2:3x",
    ]
    ours = values(read("a.yaml", "\n".join(f"k{n}: {word}" for n, word in enumerate(words))))
    real = yaml.safe_load("\n".join(f"k{n}: {word}" for n, word in enumerate(words)))
    real["k6"] = 15  # yaml 1.2's octal, a text in 1.1
    assert ours == real


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("dump.json", '{"task": "statistics", "data": {}}'),
        ("any.json", '{"task": "statistics", "level": "L1", "dump_data_dir": null, "data": {"a": {"b": 1}}}'),
        ("list.json", '{"files": ["a", "b"]}'),
        ("shards.json", '{"node0": ["a"], "node1": ["b"]}'),
        ("index.json", '{"metadata": {}, "weight_map": {"a": "b"}}'),
        ("env.json", '{"PATH": "/bin", "HOME": "/root"}'),
        ("hash.json", '{"w1": "d41d8cd98f00b204e9800998ecf8427e"}'),
        ("stats.json", '{"w1": {"max": 1, "min": 0, "mean": 0.5, "norm": 2}}'),
        ("vocab.json", json.dumps({f"t{n}": n for n in range(1000)})),
        ("log.json", '{"loss": 1}\n{"loss": 2}\n'),
        ("list.json", "[1, 2]"),
        ("conda.yaml", "name: x\nchannels: [a]\ndependencies: [b]\n"),
        ("words.yaml", "just a text"),
        ("empty.yaml", ""),
        ("train.jsonl", '{"lr": 1}'),
        ("log.txt", "loss: 1\nwhat a line\n"),
    ],
)
def test_what_holds_no_settings(name: str, text: str) -> None:
    assert read(name, text) is None


def test_odd_encodings(tmp_path: Path) -> None:
    text = "micro_batch_size: 2\n\nnum_layers: 4\n"
    for content in (text.encode("utf-16"), text.replace("\n", "\r\n").encode("utf-8-sig")):
        found = read("a.yaml", content)
        assert values(found) == {"micro_batch_size": 2, "num_layers": 4}
        assert found is not None
        assert [item.place.line for item in found.settings] == [1, 3]


def test_a_deepspeed_file_that_it_names_is_read_with_it(tmp_path: Path) -> None:
    (tmp_path / "examples" / "deepspeed").mkdir(parents=True)
    (tmp_path / "examples" / "deepspeed" / "ds_z3.json").write_text('{"zero_optimization": {"stage": 3}}')
    (tmp_path / "examples" / "train").mkdir()
    file = tmp_path / "examples" / "train" / "sft.yaml"
    file.write_text("finetuning_type: full\ndeepspeed: examples/deepspeed/ds_z3.json\n")
    found = read_document(EvidenceFile(str(file)))
    assert values(found) == {
        "zero_optimization.stage": 3, "finetuning_type": "full", "deepspeed": "examples/deepspeed/ds_z3.json",
    }  # fmt: skip


def test_secrets_are_masked() -> None:
    found = read("a.yaml", "hub_token: hf_abcdefghijklmnopqrstuvwxyz01\npad_token_id: 0\noutput_dir: x\n")
    assert "hf_abc" not in repr(found)
    assert values(found)["pad_token_id"] == 0


names = st.text("abcdefghij_-", min_size=1, max_size=8).filter(lambda text: text.strip("-_") != "")
leaves = (
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12).filter(
        lambda text: text[:1] not in set("+-.0123456789")
    )  # 0E0 is a text to PyYAML
)
trees = st.dictionaries(
    names,
    st.recursive(
        leaves,
        lambda inner: st.dictionaries(names, inner, max_size=3) | st.lists(leaves, min_size=1, max_size=3),
        max_leaves=6,
    ),
    min_size=1,
    max_size=5,
)


def flattened(value: Any, name: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, item in value.items():
            found |= flattened(item, f"{name}.{key}" if name else key)
        return found
    return {name: tuple(value) if isinstance(value, list) else value}


@given(trees)
def test_json_and_yaml_read_back_what_their_writers_wrote(tree: dict[str, Any]) -> None:
    expected = flattened(tree)
    for name, text in (
        ("a.json", json.dumps(tree)),
        ("a.json", json.dumps(tree, indent=2, ensure_ascii=False)),
        ("a.yaml", yaml.safe_dump(tree, allow_unicode=True)),
    ):
        found = read(name, text.encode())
        if found is not None:  # what looks like shards is nobody's
            assert found.problems == ()
            assert values(found) == expected
            assert all(type(values(found)[key]) is type(value) for key, value in expected.items())
