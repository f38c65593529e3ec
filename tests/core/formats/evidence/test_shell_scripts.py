"""Launch scripts as people write them, with the settings that they set."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from builders.scripts import doubted, exported, read, said

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.shell.reading import read_script
from core.records.evidence import Dialect, EvidenceKind

MINDSPEED = """
    #!/bin/bash
    export CUDA_DEVICE_MAX_CONNECTIONS=1
    export PYTORCH_NPU_ALLOC_CONF=expandable_segments:True

    NPUS_PER_NODE=8
    MASTER_ADDR=localhost
    MASTER_PORT=6000
    NNODES=1
    NODE_RANK=0
    WORLD_SIZE=$(($NPUS_PER_NODE*$NNODES))

    CKPT_SAVE_DIR="your model save ckpt path"
    DATA_PATH="your data path"
    TP=8
    PP=1

    DISTRIBUTED_ARGS="
        --nproc_per_node $NPUS_PER_NODE \\
        --nnodes $NNODES \\
        --node_rank $NODE_RANK \\
        --master_addr $MASTER_ADDR \\
        --master_port $MASTER_PORT
    "

    GPT_ARGS="
        --tensor-model-parallel-size ${TP} \\
        --pipeline-model-parallel-size ${PP} \\
        --sequence-parallel \\
        --num-layers 32 \\
        --hidden-size 4096 \\
        --micro-batch-size 4 \\
        --global-batch-size $((WORLD_SIZE / TP / PP * 4 * 4)) \\
        --lr 1.25e-6 \\
        --norm-epsilon 1e-5 \\
        --initial-loss-scale 4096.0 \\
        # --fp16 \\
        --bf16
    "

    DATA_ARGS="
        --data-path $DATA_PATH \\
        --split 949,50,1
    "

    OUTPUT_ARGS="
        --log-interval 1 \\
        --eval-iters 0 \\
    "

    torchrun $DISTRIBUTED_ARGS pretrain_gpt.py \\
        $GPT_ARGS \\
        $DATA_ARGS \\
        $OUTPUT_ARGS \\
        --distributed-backend nccl \\
        --save $CKPT_SAVE_DIR \\
        | tee logs/train_llama2_7b.log
    """


def test_mindspeed_pretraining() -> None:
    found = read(MINDSPEED)
    assert found.program == "pretrain_gpt.py"
    assert found.kinds == (EvidenceKind.SCRIPT, EvidenceKind.ENVIRONMENT)
    assert found.problems == ()
    assert said(found, Dialect.LAUNCHER) == {
        "nproc_per_node": "8",
        "nnodes": "1",
        "node_rank": "0",
        "master_addr": "localhost",
        "master_port": "6000",
    }
    assert said(found, Dialect.MEGATRON) == {
        "tensor-model-parallel-size": "8", "pipeline-model-parallel-size": "1", "sequence-parallel": True,
        "num-layers": "32", "hidden-size": "4096", "micro-batch-size": "4", "global-batch-size": "16",
        "lr": "1.25e-6", "norm-epsilon": "1e-5", "initial-loss-scale": "4096.0", "bf16": True,
        "data-path": ("your", "data", "path"), "split": "949,50,1", "log-interval": "1", "eval-iters": "0",
        "distributed-backend": "nccl", "save": ("your", "model", "save", "ckpt", "path"),
    }  # fmt: skip
    assert said(found, Dialect.ENVIRONMENT).items() >= {"TP": "8", "PP": "1", "WORLD_SIZE": "8"}.items()
    assert exported(found) == {
        "CUDA_DEVICE_MAX_CONNECTIONS": "1",
        "PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True",
    }


def test_places_are_the_lines_that_say_it() -> None:
    lines = dedent(MINDSPEED).lstrip("\n").split("\n")
    found = read(MINDSPEED)
    for item in found.settings:
        if item.dialect is Dialect.MEGATRON:
            assert f"--{item.name}" in lines[item.place.line - 1]
        assert item.place.path == "/jobs/train.sh"
    assert found.environment[0].place.line == 2


def test_windows_line_ends_and_a_mark_change_nothing() -> None:
    text = dedent(MINDSPEED).lstrip("\n")
    odd = read_script(EvidenceFile("/jobs/train.sh", content=text.replace("\n", "\r\n").encode("utf-8-sig")))
    assert odd == read(MINDSPEED)


def test_megatron_arrays() -> None:
    found = read("""
        #!/bin/bash
        GPUS_PER_NODE=8
        NUM_NODES=${NUM_NODES:-2}
        DISTRIBUTED_ARGS=(
            --nproc_per_node $GPUS_PER_NODE
            --nnodes $NUM_NODES
        )
        GPT_MODEL_ARGS=(
            --num-layers 96   # of GPT-3
            # --hidden-size 1
            --hidden-size 12288
            --adam-beta2 0.95
            --data-cache-path "/a b/c"
        )
        GPT_MODEL_ARGS+=(--init-method-std .006 --lr-decay-iters -1)
        torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py "${GPT_MODEL_ARGS[@]}" ${EXTRA_ARGS[@]} "$@"
        """)
    assert said(found, Dialect.LAUNCHER) == {"nproc_per_node": "8", "nnodes": "2"}
    assert said(found, Dialect.MEGATRON) == {
        "num-layers": "96", "hidden-size": "12288", "adam-beta2": "0.95", "data-cache-path": "/a b/c",
        "init-method-std": ".006", "lr-decay-iters": "-1",
    }  # fmt: skip
    assert {item.name: item.place.line for item in found.settings}["hidden-size"] == 11


def test_one_line_with_variables_before_it() -> None:
    found = read("""
        export SEED=1234
        HCCL_DETERMINISTIC=true nohup torchrun --nproc-per-node=8 pretrain_gpt.py --num-layers 2 \\
            --lr 2.0e-3 --seed $SEED --fp16 > a.log 2>&1 &
        """)
    assert said(found, Dialect.MEGATRON) == {"num-layers": "2", "lr": "2.0e-3", "seed": "1234", "fp16": True}
    assert said(found, Dialect.LAUNCHER) == {"nproc-per-node": "8"}
    assert exported(found) == {"SEED": "1234", "HCCL_DETERMINISTIC": "true"}


def test_hugging_face_under_deepspeed_reads_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "ds.json").write_text('{"train_batch_size": "auto",\n "gradient_clipping": 1.0}')
    (tmp_path / "scripts").mkdir()
    script = tmp_path / "scripts" / "run.sh"
    script.write_text(
        "deepspeed --num_gpus 8 --include localhost:0,1 examples/run_clm.py \\\n"
        "  --model_name_or_path gpt2 --per_device_train_batch_size 4 \\\n"
        "  --deepspeed configs/ds.json --do_train --learning_rate=5e-5\n"
    )
    found = read_script(EvidenceFile(str(script)))
    assert found is not None
    assert found.program == "examples/run_clm.py"
    assert said(found, Dialect.LAUNCHER) == {"num_gpus": "8", "include": "localhost:0,1"}
    assert said(found, Dialect.HUGGING_FACE) == {
        "model_name_or_path": "gpt2", "per_device_train_batch_size": "4", "deepspeed": "configs/ds.json",
        "do_train": True, "learning_rate": "5e-5",
    }  # fmt: skip
    assert said(found, Dialect.DEEPSPEED) == {"train_batch_size": "auto", "gradient_clipping": 1.0}
    clipping = next(item for item in found.settings if item.name == "gradient_clipping")
    assert clipping.place == (str(tmp_path / "configs" / "ds.json"), 2, "")


def test_llama_factory_reads_its_yaml_and_overrides_come_after(tmp_path: Path) -> None:
    (tmp_path / "sft.yaml").write_text("learning_rate: 1e-4\nbf16: true\nfinetuning_type: lora\n")
    script = tmp_path / "run.sh"
    script.write_text(
        "FORCE_TORCHRUN=1 llamafactory-cli train /root/LLaMA-Factory/sft.yaml learning_rate=2e-4\n"
    )
    found = read_script(EvidenceFile(str(script)))
    assert found is not None
    rates = [item.value for item in found.settings if item.name == "learning_rate"]
    assert rates == [1e-4, "2e-4"]
    assert said(found, Dialect.HUGGING_FACE)["bf16"] is True
    assert exported(found) == {"FORCE_TORCHRUN": "1"}


def test_mindformers_under_msrun(tmp_path: Path) -> None:
    (tmp_path / "llama.yaml").write_text(
        "runner_config:\n  batch_size: 1\nparallel_config:\n  model_parallel: 4\n"
    )
    script = tmp_path / "run.sh"
    script.write_text(
        "msrun --bind_core=True --worker_num=8 --local_worker_num=8 --master_port=8118 --join=True \\\n"
        "  run_mindformer.py --config llama.yaml --use_parallel True --run_mode train\n"
    )
    found = read_script(EvidenceFile(str(script)))
    assert found is not None
    assert said(found, Dialect.LAUNCHER) == {
        "bind_core": "True",
        "worker_num": "8",
        "local_worker_num": "8",
        "master_port": "8118",
        "join": "True",
    }
    assert said(found, Dialect.MINDFORMERS) == {
        "runner_config.batch_size": 1, "parallel_config.model_parallel": 4, "config": "llama.yaml",
        "use_parallel": "True", "run_mode": "train",
    }  # fmt: skip


def test_conditions_that_the_script_decides() -> None:
    found = read("""
        MODEL_SIZE=7B
        TP=4
        if [[ $MODEL_SIZE == "7B" ]]; then HIDDEN=4096
        elif [[ $MODEL_SIZE == "13B" ]]; then HIDDEN=5120; else exit 1; fi
        if [ $TP -gt 1 ]; then SP="--sequence-parallel"; else SP=""; fi
        [ -z "$MODEL_SIZE" ] && HIDDEN=1
        [ "$TP" -eq 4 ] && CP=2
        torchrun train.py --hidden-size $HIDDEN --cp $CP $SP
        """)
    assert said(found, Dialect.MEGATRON) == {"hidden-size": "4096", "cp": "2", "sequence-parallel": True}


def test_variables_that_nothing_sets_count_as_empty() -> None:
    found = read("""
        if [ -z "$NNODES" ]; then NNODES=2; fi
        [ -z "${LR}" ] && LR=1e-4
        if [ -n "$RESUME" ]; then LR=2e-4; fi
        torchrun train.py --lr $LR --nodes $NNODES --mbs ${MBS:-4}
        """)
    assert said(found, Dialect.PLAIN) == {"lr": "1e-4", "nodes": "2", "mbs": "4"}


def test_conditions_that_only_the_machine_decides() -> None:
    found = read("""
        LR=1e-4; MBS=2; GBS=8
        if [ -f /etc/big ] && [ 1 -eq 1 ]; then LR=2e-4; MBS=2; fi
        case "$1" in
            big) GBS=16 ;;
            small|tiny) GBS=32 ;;
        esac
        for NODES in 1 2; do :; done
        for RANKS in 8; do :; done
        torchrun train.py --lr $LR --mbs $MBS --gbs $GBS \\
            --nodes $NODES --ranks $RANKS --host $(hostname -i) --data $DATA
        """)
    assert said(found, Dialect.PLAIN) == {"mbs": "2", "ranks": "8"}
    assert doubted(found) == {
        "LR": "2e-4",
        "GBS": "32",
        "NODES": "2",
        "lr": "2e-4",
        "gbs": "32",
        "nodes": "2",
        "host": "$(hostname -i)",
        "data": "$DATA",
    }


def test_a_document_that_the_script_writes() -> None:
    found = read("""
        GLOBAL_BATCH=64
        cat <<EOT > ds_config.json
        {
          "train_batch_size" : $GLOBAL_BATCH,
          "bf16": { "enabled": true },
          "steps_per_print": $STEPS
        }
        EOT
        deepspeed train.py --deepspeed --deepspeed_config ds_config.json
        """)
    assert said(found, Dialect.DEEPSPEED) == {"train_batch_size": 64, "bf16.enabled": True}
    assert doubted(found) == {"steps_per_print": "$STEPS"}
    assert {item.name: item.place.line for item in found.settings}["bf16.enabled"] == 5


def test_arguments_without_a_launch_line_are_settings() -> None:
    found = read("""
        GPT_ARGS="--num-layers 2 --lr 1e-3"
        RDZV_ARGS=(--nproc_per_node 8 --nnodes 2)
        """)
    assert said(found, Dialect.MEGATRON) == {"num-layers": "2", "lr": "1e-3"}
    assert said(found, Dialect.LAUNCHER) == {"nproc_per_node": "8", "nnodes": "2"}


def test_arguments_that_the_launch_line_leaves_out_are_not_known_to_hold() -> None:
    found = read("""
        MOE_ARGS="--num-experts 8"
        GPT_ARGS="--num-layers 2"
        torchrun pretrain_gpt.py $GPT_ARGS
        """)
    assert said(found, Dialect.MEGATRON) == {"num-layers": "2"}
    assert doubted(found) == {"num-experts": "8"}


def test_secrets_are_masked() -> None:
    found = read(
        "export WANDB_API_KEY=0123456789abcdef0123456789abcdef01234567\n"
        "torchrun train.py --hf_token hf_abcdefghijklmnopqrstuvwxyz01\n"
    )
    assert "0123456789abcdef" not in repr(found)
    assert "hf_abc" not in repr(found)
    assert {"WANDB_API_KEY"} == set(exported(found))


def test_a_quote_left_open_is_a_problem_and_the_rest_counts() -> None:
    found = read('LR=1e-4\nexport A=2\nARGS="--lr $LR\ntorchrun train.py\n')
    assert [problem.code for problem in found.problems] == ["settings_open_quote"]
    assert found.problems[0].parameters == {"line": 3}
    assert exported(found) == {"A": "2"}


def test_shared_scripts(cases: Path) -> None:
    folder = cases / "precheck" / "launch_scripts"
    rates = {}
    for side in ("target", "bench"):
        found = read_script(EvidenceFile(str(folder / f"train_{side}.sh")))
        assert found is not None
        rates[side] = {name: said(found, Dialect.MEGATRON).get(name) for name in ("lr", "fp16", "bf16")}
    assert rates == {
        "target": {"lr": "2.0e-3", "fp16": True, "bf16": None},
        "bench": {"lr": "1.0e-3", "fp16": None, "bf16": True},
    }
