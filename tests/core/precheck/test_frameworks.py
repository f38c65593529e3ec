"""Configurations as each framework has them, read from files: batch and learning rate come out right."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import numpy as np
import pytest
from builders.settings import side_of

from core.precheck.configuration import Configuration
from core.precheck.engine import examine
from core.precheck.pair import Pair
from core.precheck.settings.schedule import rates, schedule_of
from core.progress import run_to_end
from core.records.precheck import Check, Outcome, Standing

MEGATRON = """
    #!/bin/bash
    export CUDA_DEVICE_MAX_CONNECTIONS=1
    export HCCL_CONNECT_TIMEOUT=1800
    NPUS_PER_NODE=8
    MASTER_ADDR=localhost
    NNODES=2
    NODE_RANK=0
    TP=2
    PP=2
    DISTRIBUTED_ARGS="
        --nproc_per_node $NPUS_PER_NODE \\
        --nnodes $NNODES \\
        --node_rank $NODE_RANK \\
        --master_addr $MASTER_ADDR
    "
    GPT_ARGS="
        --tensor-model-parallel-size ${TP} \\
        --pipeline-model-parallel-size ${PP} \\
        --sequence-parallel \\
        --num-layers 32 \\
        --hidden-size 4096 \\
        --ffn-hidden-size 11008 \\
        --num-attention-heads 32 \\
        --seq-length 4096 \\
        --max-position-embeddings 4096 \\
        --micro-batch-size 2 \\
        --global-batch-size 256 \\
        --make-vocab-size-divisible-by 1 \\
        --vocab-size 32000 \\
        --lr 1.25e-6 \\
        --train-iters 5000 \\
        --lr-decay-style cosine \\
        --lr-warmup-fraction 0.01 \\
        --min-lr 1.25e-7 \\
        --weight-decay 1e-1 \\
        --clip-grad 1.0 \\
        --adam-beta1 0.9 \\
        --adam-beta2 0.95 \\
        --attention-dropout 0.0 \\
        --hidden-dropout 0.0 \\
        --untie-embeddings-and-output-weights \\
        --disable-bias-linear \\
        --position-embedding-type rope \\
        --normalization RMSNorm \\
        --norm-epsilon 1e-5 \\
        --swiglu \\
        --use-flash-attn \\
        --bf16
    "
    torchrun $DISTRIBUTED_ARGS pretrain_gpt.py $GPT_ARGS --seed 42 | tee logs/train.log
"""
DEEPSPEED = {
    "train_batch_size": 64,
    "train_micro_batch_size_per_gpu": 2,
    "gradient_accumulation_steps": 4,
    "optimizer": {
        "type": "AdamW",
        "params": {"lr": 3e-5, "betas": [0.9, 0.95], "eps": 1e-8, "weight_decay": 0.1},
    },
    "scheduler": {
        "type": "WarmupDecayLR",
        "params": {
            "warmup_min_lr": 0, "warmup_max_lr": 3e-5, "warmup_num_steps": 100, "total_num_steps": 1100,
            "warmup_type": "linear",
        },
    },
    "fp16": {
        "enabled": True, "loss_scale": 0, "initial_scale_power": 16, "loss_scale_window": 500,
        "hysteresis": 2,
    },
    "gradient_clipping": 1.0,
    "zero_optimization": {"stage": 2},
}  # fmt: skip
TRAINER = """
    torchrun --nproc_per_node=8 run_clm.py \\
        --model_name_or_path gpt2 --do_train --output_dir out \\
        --per_device_train_batch_size 4 --gradient_accumulation_steps 2 \\
        --learning_rate 2e-5 --lr_scheduler_type cosine --warmup_ratio 0.03 --max_steps 1000 \\
        --bf16 True --seed 7
"""
FACTORY = """
    ### model
    model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
    ### method
    stage: sft
    do_train: true
    finetuning_type: lora
    lora_rank: 8
    lora_target: all
    ### dataset
    dataset: identity
    cutoff_len: 2048
    ### output
    output_dir: saves/llama3-8b/lora/sft
    logging_steps: 10
    ### train
    per_device_train_batch_size: 1
    gradient_accumulation_steps: 8
    learning_rate: 1.0e-4
    max_steps: 300
    lr_scheduler_type: cosine
    warmup_ratio: 0.1
    bf16: true
    flash_attn: fa2
"""
MINDFORMERS = """
    seed: 0
    runner_config:
      epochs: 2
      batch_size: 2
      gradient_accumulation_steps: 4
    optimizer:
      type: AdamW
      betas: [0.9, 0.95]
      eps: 1.e-8
      weight_decay: 0.1
    lr_schedule:
      type: CosineWithWarmUpLR
      learning_rate: 1.e-5
      lr_end: 1.e-6
      warmup_steps: 10
      total_steps: 110
    parallel_config:
      data_parallel: 4
      model_parallel: 2
      pipeline_stage: 1
      micro_batch_num: 16
    model:
      model_config:
        num_layers: 4
        hidden_size: 64
        seq_length: 128
        compute_dtype: "bfloat16"
"""


def written(folder: Path, **files: str | dict[str, object]) -> list[Path]:
    folder.mkdir(exist_ok=True)
    paths = []
    for name, content in files.items():
        path = folder / name.replace("__", ".")
        text = (
            json.dumps(content, indent=1) if isinstance(content, dict) else textwrap.dedent(content).lstrip()
        )
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def read(folder: Path, **files: str | dict[str, object]) -> Configuration:
    return side_of(*written(folder, **files)).configuration


def rows(target: Path, golden: Path) -> dict[str, Check]:
    return {check.id: check for check in run_to_end(examine(Pair(side_of(target), side_of(golden))))}


def rate_at(known: Configuration, *steps: int) -> list[float]:
    schedule = schedule_of(known)
    assert schedule is not None
    return [float(rate) for rate in rates(schedule, np.array(steps))]


def test_megatron_script(tmp_path: Path) -> None:
    known = read(tmp_path, pretrain__sh=MEGATRON)
    names = (
        "world_size", "data_parallel", "gradient_accumulation", "global_batch", "tokens_per_step",
        "precision", "attention_kernel", "seed", "padded_vocabulary",
    )  # fmt: skip
    assert [known.value(name) for name in names] == [
        16, 4, 32, 256, 256 * 4096, "bf16", "flash", 42, 32000,
    ]  # fmt: skip
    assert known.value("parameters") == 6_738_415_616
    assert rate_at(known, 25, 50, 5000) == pytest.approx([0.625e-6, 1.25e-6, 1.25e-7])
    assert not known.contradictions


def test_deepspeed_json(tmp_path: Path) -> None:
    known = read(tmp_path, ds_config__json=DEEPSPEED)
    names = ("global_batch", "micro_batch", "gradient_accumulation", "learning_rate", "beta2", "precision")
    assert [known.value(name) for name in names] == [64, 2, 4, 3e-5, 0.95, "fp16"]
    assert (known.value("loss_scale"), known.value("initial_loss_scale")) == (0, 65536)
    assert rate_at(known, 50, 100, 600, 1100) == pytest.approx([1.5e-5, 3e-5, 1.5e-5, 0])


def test_transformers_arguments(tmp_path: Path) -> None:
    known = read(tmp_path, run__sh=TRAINER)
    assert [known.value(name) for name in ("world_size", "global_batch", "warmup_steps")] == [8, 64, 30]
    assert (known.value("weight_decay"), known.value("precision"), known.value("seed")) == (0, "bf16", 7)
    assert rate_at(known, 15, 30, 515, 1000) == pytest.approx([1e-5, 2e-5, 1e-5, 0])


def test_llama_factory_yaml(tmp_path: Path) -> None:
    known = read(tmp_path, sft__yaml=FACTORY)
    assert [known.value(name) for name in ("micro_batch", "gradient_accumulation", "warmup_steps")] == [
        1,
        8,
        30,
    ]
    assert (known.value("sequence_length"), known.value("attention_kernel")) == (2048, "flash")
    assert rate_at(known, 30, 300) == pytest.approx([1e-4, 0])


def test_mindformers_yaml(tmp_path: Path) -> None:
    known = read(tmp_path, train__yaml=MINDFORMERS)
    assert [known.value(name) for name in ("global_batch", "data_parallel", "tensor_parallel")] == [32, 4, 2]
    assert (known.value("precision"), known.value("beta2")) == ("bf16", 0.95)
    assert rate_at(known, 5, 10, 110) == pytest.approx([0.5e-5, 1e-5, 1e-6])


def test_a_script_is_compared_with_one_that_spells_everything_differently(tmp_path: Path) -> None:
    other = MEGATRON
    for one, another in (
        ("--lr 1.25e-6", "--lr 0.00000125"), ("--clip-grad 1.0", "--clip-grad 1"),
        ("--lr-warmup-fraction 0.01", "--lr-warmup-iters 50"), ("--weight-decay 1e-1", "--weight-decay .10"),
    ):  # fmt: skip
        assert one in other
        other = other.replace(one, another)
    target, golden = written(tmp_path / "a", run__sh=MEGATRON), written(tmp_path / "b", run__sh=other)
    found = rows(target[0], golden[0])
    for id in (
        "hyper_parameters.learning_rate", "hyper_parameters.optimizer", "hyper_parameters.batch",
        "hyper_parameters.learning_rate_curve", "hyper_parameters.parallel", "model.shape", "model.details",
        "model.vocabulary", "model.parameters", "fused.attention", "randomness.dropout", "randomness.seed",
        "mixed_precision.same_kind", "mixed_precision.loss_scale", "flow.launch",
    ):  # fmt: skip
        assert found[id].result is Outcome.PASS, (id, found[id])
    assert found["hyper_parameters.learning_rate_curve"].message.parameters == {"count": 5000}


@pytest.mark.parametrize(
    ("line", "id", "name"),
    [
        ("--use-flash-attn \\\n", "fused.attention", "attention_kernel"),
        ("--swiglu \\\n", "model.details", "activation"),
        ("--sequence-parallel \\\n", "hyper_parameters.parallel", "sequence_parallel"),
        ("--untie-embeddings-and-output-weights \\\n", "model.details", "tied_embeddings"),
        ("--clip-grad 1.0 \\\n", None, "clip_grad"),
        ("--adam-beta2 0.95 \\\n", "hyper_parameters.optimizer", "beta2"),
    ],
)
def test_what_one_script_leaves_out(tmp_path: Path, line: str, id: str | None, name: str) -> None:
    """Absence is a value: the framework's default, which for the clipping happens to be the same."""
    target = written(tmp_path / "a", run__sh=MEGATRON.replace(line, ""))
    golden = written(tmp_path / "b", run__sh=MEGATRON)
    found = rows(target[0], golden[0])
    failed = [check for check in found.values() if any(item.name == name for item in check.items)]
    wrong = [check.id for check in failed if check.result is Outcome.FAIL]
    assert (id in wrong) if id is not None else not wrong
    if id is not None:
        assert found[id].items[0].standing in (Standing.DIFFERS, Standing.GOLDEN_ONLY)


def test_a_launch_line_that_ends_in_unknown_variables_is_a_part_only(tmp_path: Path) -> None:
    part = """
        #!/bin/bash
        source ./settings_of_the_cluster.sh
        torchrun --nproc_per_node 8 pretrain_gpt.py $MODEL_ARGS --micro-batch-size 2 --clip-grad 1.0 $@
    """
    script = written(tmp_path, run__sh=part)[0]
    assert side_of(script).configuration.get("weight_decay") is None
    found = rows(script, script)
    assert found["hyper_parameters.learning_rate"].result is Outcome.NOT_DONE
    assert found["fused.attention"].result is Outcome.NOT_DONE


def test_scripts_with_another_rate_and_precision(cases: Path) -> None:
    folder = cases / "precheck" / "launch_scripts"
    found = rows(folder / "train_target.sh", folder / "train_bench.sh")
    rate, kind = found["hyper_parameters.learning_rate"], found["mixed_precision.same_kind"]
    assert (rate.result, kind.result) == (Outcome.FAIL, Outcome.FAIL)
    assert (rate.items[0].target, rate.items[0].golden) == ("0.002", "0.001")
    assert rate.items[0].target_place is not None
    assert rate.items[0].target_place.line == 2
    assert (kind.items[0].target, kind.items[0].golden) == ("fp16", "bf16")
    assert found["model.shape"].result is Outcome.PASS


def test_the_same_flags_on_another_split_make_another_batch(cases: Path) -> None:
    folder = cases / "precheck" / "C70_eff_gbs"
    expected = json.loads((folder / "expect.json").read_text("utf-8"))
    batch = rows(folder / "tgt.json", folder / "gold.json")["hyper_parameters.batch"]
    assert batch.result is Outcome.FAIL
    assert batch.message.parameters == {"target": str(expected["tgt"]), "golden": str(expected["gold"])}


def printed_block(**changed: object) -> str:
    """Return what Megatron-LM prints for the script above: all settings, also those that nobody typed."""
    settings: dict[str, object] = {
        "accumulate_allreduce_grads_in_fp32": True, "adam_beta1": 0.9, "adam_beta2": 0.95,
        "adam_eps": 1e-08, "add_bias_linear": False, "add_qkv_bias": False, "apply_rope_fusion": True,
        "attention_backend": "AttnBackend.auto", "attention_dropout": 0.0, "attention_softmax_in_fp32": False,
        "bf16": True, "bias_dropout_fusion": True, "bias_gelu_fusion": False, "bias_swiglu_fusion": True,
        "clip_grad": 1.0, "context_parallel_size": 1, "cp_comm_type": ["p2p"], "data_parallel_size": 4,
        "data_sharding": True, "dataloader_type": "single", "deterministic_mode": False,
        "distributed_backend": "nccl", "expert_model_parallel_size": 1, "ffn_hidden_size": 11008,
        "fp16": False, "fp8": None, "global_batch_size": 256, "gradient_accumulation_fusion": True,
        "group_query_attention": False, "hidden_dropout": 0.0, "hidden_size": 4096, "hysteresis": 2,
        "init_method_std": 0.02, "initial_loss_scale": 4294967296, "kv_channels": 128, "loss_scale": None,
        "loss_scale_window": 1000, "lr": 1.25e-06, "lr_decay_iters": None, "lr_decay_style": "cosine",
        "lr_warmup_fraction": 0.01, "lr_warmup_init": 0.0, "lr_warmup_iters": 0,
        "lr_wsd_decay_style": "exponential", "make_vocab_size_divisible_by": 1, "masked_softmax_fusion": True,
        "max_position_embeddings": 4096, "micro_batch_size": 2, "min_lr": 1.25e-07, "moe_aux_loss_coeff": 0.0,
        "moe_ffn_hidden_size": 11008, "norm_epsilon": 1e-05, "normalization": "RMSNorm",
        "num_attention_heads": 32, "num_experts": None, "num_layers": 32, "num_query_groups": 1,
        "optimizer": "adam", "params_dtype": "torch.bfloat16", "pipeline_model_parallel_size": 2,
        "position_embedding_type": "rope", "recompute_granularity": None, "rotary_base": 10000,
        "rotary_percent": 1.0, "seed": 42, "seq_length": 4096, "sequence_parallel": True, "sgd_momentum": 0.9,
        "squared_relu": False, "swiglu": True, "tensor_model_parallel_size": 2, "train_iters": 5000,
        "train_samples": None, "transformer_impl": "local", "untie_embeddings_and_output_weights": True,
        "use_distributed_optimizer": False, "use_flash_attn": True, "vocab_size": 32000, "weight_decay": 0.1,
        "world_size": 16, **changed,
    }  # fmt: skip
    lines = [f"  {name} {'.' * (48 - len(name))} {value}" for name, value in sorted(settings.items())]
    return "\n".join(
        (
            "using world size: 16, data-parallel size: 4, context-parallel size: 1, "
            "tensor-model-parallel size: 2, pipeline-model-parallel size: 2",
            "------------------------ arguments ------------------------", *lines,
            "-------------------- end of arguments ---------------------",
            " > padded vocab (size: 32000) with 0 dummy tokens (new size: 32000)",
            *(
                f" iteration {n:8}/    5000 | consumed samples: {256 * n:12} |"
                f" elapsed time per iteration (ms): 90.1 | learning rate: {2.5e-8 * n:.6E} |"
                f" global batch size:   256 | lm loss: {11 - n / 10:.6E} |"
                " loss scale: 1.0 | grad norm: 1.250 | number of skipped iterations:   0 |"
                " number of nan iterations:   0 |"
                for n in range(1, 31)
            ),
            "",
        )
    )  # fmt: skip


def test_a_log_and_the_script_that_made_it_say_the_same(tmp_path: Path) -> None:
    script, log = written(tmp_path, run__sh=MEGATRON, train__log=printed_block())
    both, alone = side_of(script, log), side_of(script)
    assert not both.configuration.conflicts
    assert not both.configuration.contradictions
    assert both.configuration.value("parameters") == 6_738_415_616
    for pair in (Pair(both, alone), Pair(alone, side_of(log)), Pair(both, both)):
        found = {check.id: check for check in run_to_end(examine(pair))}
        failed = [
            (id, check.items[0])
            for id, check in found.items()
            if check.result is Outcome.FAIL and id not in ("randomness.determinism", "flow.two_runs")
        ]
        assert not failed
        assert found["hyper_parameters.learning_rate"].result is Outcome.PASS
        assert found["model.shape"].result is Outcome.PASS
        assert found["hyper_parameters.learning_rate_curve"].result is Outcome.PASS
    assert found["flow.sources_agree"].result is Outcome.PASS


def test_a_log_of_another_run_contradicts_its_script(tmp_path: Path) -> None:
    block = printed_block(lr=1e-06, global_batch_size=128)
    script, log = written(tmp_path, run__sh=MEGATRON, train__log=block)
    side = side_of(script, log)
    assert {conflict.name for conflict in side.configuration.conflicts} == {"learning_rate", "global_batch"}
    assert side.configuration.value("learning_rate") == 1e-6
    agree = {check.id: check for check in run_to_end(examine(Pair(side, side)))}["flow.sources_agree"]
    assert agree.result is Outcome.FAIL
    assert "run.sh" in str(agree.message.parameters["second"])
