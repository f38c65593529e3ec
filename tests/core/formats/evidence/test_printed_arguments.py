"""Settings as trainings print them into their logs."""

from __future__ import annotations

import io
import tracemalloc
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pprint import pformat
from typing import Any, BinaryIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.printed.scanning import scan_arguments
from core.records.evidence import Dialect, Evidence, EvidenceKind, Value


def read(text: str, name: str = "train.log") -> Evidence | None:
    return scan_arguments(EvidenceFile("/jobs/" + name, content=text.encode("utf-8", "surrogatepass")))


def said(found: Evidence | None, dialect: Dialect) -> dict[str, Value]:
    assert found is not None
    return {item.name: item.value for item in found.settings if item.dialect is dialect}


MEGATRON = """\
using world size: 16, data-parallel size: 4, context-parallel size: 1 \
tensor-model-parallel size: 2, pipeline-model-parallel size: 2
setting global batch size to 32
using torch.bfloat16 for parameters ...
------------------------ arguments ------------------------
  accumulate_allreduce_grads_in_fp32 .............. True
  adam_beta1 ...................................... 0.9
  data_path ....................................... ['a/b', 'c d']
  kaimm_offload_activation_ratio .................. None
  lr .............................................. 1.25e-06
  save ............................................ /ckpt/x
  rampup_batch_size ............................... ['16', '16', '5']
-------------------- end of arguments ---------------------
 > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)
 > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 124439808
 > number of parameters on (tensor, pipeline) model parallel rank (1, 0): 124439808
 [2024-01-01 10:00:00] iteration        1/    2000 | consumed samples: 32 | lm loss: 1.0E+01 |
  not_an_argument ................................. 7
"""
EXPECTED = {
    "world_size": 16, "data_parallel_size": 4, "context_parallel_size": 1, "tensor_model_parallel_size": 2,
    "pipeline_model_parallel_size": 2, "global_batch_size": 32, "params_dtype": "torch.bfloat16",
    "accumulate_allreduce_grads_in_fp32": True, "adam_beta1": 0.9, "data_path": ("a/b", "c d"),
    "kaimm_offload_activation_ratio": None, "lr": 1.25e-06, "save": "/ckpt/x",
    "rampup_batch_size": ("16", "16", "5"), "vocab_size": 50257, "padded_vocab_size": 50688,
    "number_of_parameters.0.0": 124439808, "number_of_parameters.1.0": 124439808,
}  # fmt: skip


def test_megatron() -> None:
    found = read(MEGATRON)
    assert said(found, Dialect.MEGATRON) == EXPECTED
    assert found is not None
    assert found.kinds == (EvidenceKind.ARGUMENTS,)
    assert {item.name: item.place.line for item in found.settings}["lr"] == 9


def test_ranks_that_print_the_same_count_once() -> None:
    for prefix in ("[default{}]:", "{}: ", "[rank{}]: "):
        lines = [prefix.format(rank) + line for line in MEGATRON.split("\n") for rank in (0, 1)]
        found = read("\n".join(lines))
        assert said(found, Dialect.MEGATRON) == EXPECTED
        assert found is not None
        assert len(found.settings) == len(EXPECTED)


def test_a_second_start_in_the_same_log_comes_after() -> None:
    found = read(MEGATRON + MEGATRON.replace("1.25e-06", "2.5e-06"))
    assert found is not None
    assert [item.value for item in found.settings if item.name == "lr"] == [1.25e-06, 2.5e-06]


def test_hugging_face() -> None:
    found = read("""\
01/01/2024 10:00:00 - INFO - __main__ - Training/evaluation parameters TrainingArguments(
_n_gpu=1,
adafactor=False,
eval_strategy=IntervalStrategy.NO,
fsdp=[],
fsdp_config={'min_num_params': 0, 'xla': False},
hub_strategy=<HubStrategy.EVERY_SAVE: 'every_save'>,
hub_token=<HUB_TOKEN>,
learning_rate=5e-05,
output_dir=/out, with comma,
per_device_train_batch_size=8,
)
after=1,
[INFO|trainer.py:1969] 2024-01-01 10:00:00,000 >> ***** Running training *****
[INFO|trainer.py:1970] 2024-01-01 10:00:00,000 >>   Num examples = 52,002
[INFO|trainer.py:1971] 2024-01-01 10:00:00,000 >>   Num Epochs = 3
[INFO|trainer.py:1972] 2024-01-01 10:00:00,000 >>   Instantaneous batch size per device = 8
  Total train batch size (w. parallel, distributed & accumulation) = 64
  Gradient Accumulation steps = 1
[INFO|trainer.py:1975] 2024-01-01 10:00:00,000 >>   Total optimization steps = 2,436
[INFO|trainer.py:1976] 2024-01-01 10:00:00,000 >>   Number of trainable parameters = 6,738,415,616
{'loss': 1.0, 'learning_rate': 1e-5, 'epoch': 0.1}
""")
    assert said(found, Dialect.HUGGING_FACE) == {
        "_n_gpu": 1,
        "adafactor": False,
        "eval_strategy": "IntervalStrategy.NO",
        "fsdp": (),
        "fsdp_config.min_num_params": 0,
        "fsdp_config.xla": False,
        "hub_strategy": "every_save",
        "hub_token": "<HUB_TOKEN>",
        "learning_rate": 5e-05,
        "output_dir": "/out, with comma",
        "per_device_train_batch_size": 8,
        "num_examples": 52002,
        "num_epochs": 3,
        "instantaneous_batch_size_per_device": 8,
        "total_train_batch_size": 64,
        "gradient_accumulation_steps": 1,
        "total_optimization_steps": 2436,
        "number_of_trainable_parameters": 6738415616,
    }


def test_a_models_configuration() -> None:
    found = read("""\
[INFO|configuration_utils.py:739] 2024-01-01 10:00:00,000 >> Model config LlamaConfig {
  "architectures": [
    "LlamaForCausalLM"
  ],
  "hidden_size": 4096,
  "rope_scaling": null,
  "rms_norm_eps": 1e-05
}

[INFO|x.py:1] >> Generate config GenerationConfig {
  "temperature": 0.6
}
""")
    assert said(found, Dialect.MODEL) == {
        "architectures": ("LlamaForCausalLM",),
        "hidden_size": 4096,
        "rope_scaling": None,
        "rms_norm_eps": 1e-05,
    }
    assert found is not None
    assert [item.place.line for item in found.settings] == [2, 5, 6, 7]
    assert "temperature" not in repr(found)


def test_deepspeed() -> None:
    at = "[2023-01-01 10:00:00,001] [INFO] [config.py:1000:print]"
    found = read(f"""\
{at} DeepSpeedEngine configuration:
{at}   activation_checkpointing_config  {{
    "partition_activations": false,
    "number_checkpoints": null
}}
{at}   aio_config ................... {{'block_size': 1048576, 'single_submit': False}}
{at}   amp_enabled .................. False
{at}   loss_scale ................... 1.0
{at}   zero_config .................. stage=2 contiguous_gradients=True
[2023-01-01 10:00:00,001] [INFO] [config.py:990:print_user_config]   json = {{
    "train_micro_batch_size_per_gpu": 2,
    "fp16": {{
        "enabled": true
    }}
}}
""")
    assert said(found, Dialect.DEEPSPEED) == {
        "activation_checkpointing_config.partition_activations": False,
        "activation_checkpointing_config.number_checkpoints": None, "aio_config.block_size": 1048576,
        "aio_config.single_submit": False, "amp_enabled": False, "loss_scale": 1.0,
        "zero_config": "stage=2 contiguous_gradients=True", "train_micro_batch_size_per_gpu": 2,
        "fp16.enabled": True,
    }  # fmt: skip


def test_namespace_of_argparse() -> None:
    found = read(
        "args: Namespace(lr=0.001, device=device(type='npu', index=0), betas=(0.9, 0.95), "
        "name='a, b', micro_batch_size=2) done\n"
    )
    assert said(found, Dialect.MEGATRON) == {
        "lr": 0.001, "device": "device(type='npu', index=0)", "betas": (0.9, 0.95), "name": "a, b",
        "micro_batch_size": 2,
    }  # fmt: skip


def test_mindformers_dictionary() -> None:
    config = {
        "auto_trans_ckpt": False,
        "run_mode": "train",
        "callbacks": [{"type": "MFLossMonitor"}, {"type": "Check"}],
        "runner_config": {"batch_size": 1, "epochs": 2},
        "parallel_config": {"model_parallel": 2},
        "lr_schedule": {"learning_rate": 1e-05, "note": "it's {odd"},
    }
    found = read(
        "2024-01-01 10:00:00,123 - mindformers[trainer.py:100] - INFO - start\n"
        + pformat(config, width=60)
        + "\nmore\n"
    )
    assert said(found, Dialect.MINDFORMERS) == {
        "auto_trans_ckpt": False,
        "run_mode": "train",
        "callbacks.0.type": "MFLossMonitor",
        "callbacks.1.type": "Check",
        "runner_config.batch_size": 1,
        "runner_config.epochs": 2,
        "parallel_config.model_parallel": 2,
        "lr_schedule.learning_rate": 1e-05,
        "lr_schedule.note": "it's {odd",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "train.log",
            " iteration 1/ 2000 | lm loss: 1.0E+01 | learning rate: 1e-5 |\n{'loss': 1.0, 'lr': 1e-5}\n",
        ),
        ("train.log", ""),
        ("train.py", "x = Namespace(lr=1, b=2, c=3)\n"),
        ("train.log", "call(lr=1, b=2, c=3)\n{'a': 1}\n"),
    ],
)
def test_logs_without_settings(name: str, text: str) -> None:
    assert read(text, name) is None


def test_secrets_are_masked() -> None:
    found = read(
        MEGATRON.replace("/ckpt/x", "https://me:pass@host/x").replace("lr ....", "wandb_api_key ....")
    )
    assert "pass@" not in repr(found)
    assert {item.name: item.value for item in found.settings}["wandb_api_key"] == "masked" if found else False


def test_what_python_itself_could_not_build_stays_a_text() -> None:
    found = read("Namespace(lr=1, odd={{}}, deep=" + "[" * 500 + ", batch_size=2)\n")
    assert found is not None
    assert {item.name: item.value for item in found.settings}["odd"] == "{{}}"


def test_blocks_that_never_end() -> None:
    opened = "TrainingArguments(\nlearning_rate=1,\nbf16=True,\noutput_dir=x,\n" + "noise\n" * 200
    assert said(read(opened + MEGATRON), Dialect.MEGATRON) == EXPECTED
    assert said(read(opened + MEGATRON), Dialect.HUGGING_FACE) == {
        "learning_rate": 1,
        "bf16": True,
        "output_dir": "x",
    }
    assert said(read("{\n" + "'a': 1,\n" * 20_000 + MEGATRON), Dialect.MEGATRON) == EXPECTED


@dataclass(frozen=True)
class Endless(EvidenceFile):
    """A file of one line that is longer than memory should hold."""

    size: int = 300 << 20

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        class Zeros(io.RawIOBase):
            left = self.size

            def readable(self) -> bool:
                return True

            def seekable(self) -> bool:
                return True

            def seek(self, offset: int, whence: int = 0) -> int:
                return offset

            def readinto(self, buffer: Any) -> int:
                count = min(len(buffer), self.left)
                buffer[:count] = b"{" * count
                self.left -= count
                return count

        yield Zeros()  # type: ignore[misc]


def test_memory_does_not_grow_with_a_line() -> None:
    tracemalloc.start()
    try:
        assert scan_arguments(Endless("/jobs/big.log")) is None
        assert tracemalloc.get_traced_memory()[1] < 32 << 20
    finally:
        tracemalloc.stop()


plain = st.none() | st.booleans() | st.integers(-(10**12), 10**12) | st.floats(allow_nan=False) | st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=12
)  # fmt: skip


@given(
    st.dictionaries(
        st.from_regex(r"[a-z][a-z_0-9]{0,8}", fullmatch=True),
        plain | st.lists(st.integers(), max_size=3),
        min_size=3,
        max_size=6,
    )
)
def test_a_printed_namespace_reads_back(members: dict[str, Any]) -> None:
    found = read(f"{Namespace(**members)!r}\n")
    assert found is not None
    ours = {item.name: item.value for item in found.settings}
    for name, value in members.items():
        if not isinstance(value, str):  # what texts look like may be masked
            assert ours[name] == (tuple(value) if isinstance(value, list) else value)


@given(st.text(st.sampled_from(list("{}()[]'\"=,. :\n\\-a1_")), max_size=80))
def test_no_text_raises(text: str) -> None:
    for head in (
        "",
        "TrainingArguments(",
        "--------- arguments ---------\n",
        "[config.py:1:print] json = {",
        "LlamaConfig {\n",
    ):
        read(head + text)
