"""What of a script is the launch line, and which scripts it calls."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders.scripts import exported, read, said

from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.shell.reading import read_script
from core.records.evidence import Dialect, Value


@pytest.mark.parametrize(
    ("line", "program", "launcher"),
    [
        (
            "python -m torch.distributed.launch --nproc_per_node 8 --use_env train.py --lr 1",
            "train.py",
            {"nproc_per_node": "8", "use_env": True},
        ),
        (
            "python3 -u -m torch.distributed.run --nnodes=2 -m pkg.train --lr 1",
            "pkg.train",
            {"nnodes": "2", "m": True},
        ),
        (
            "accelerate launch --multi_gpu --num_processes 4 --mixed_precision bf16 train.py --lr 1",
            "train.py",
            {"multi_gpu": True, "num_processes": "4", "mixed_precision": "bf16"},
        ),
        (
            "mpirun -np 8 --allow-run-as-root -x A=1 -mca btl tcp python train.py --lr 1",
            "train.py",
            {"np": "8", "allow-run-as-root": True, "x": "A=1", "mca": ("btl", "tcp")},
        ),
        (
            "srun -N 2 --label --ntasks-per-node=8 python train.py --lr 1",
            "train.py",
            {"N": "2", "label": True, "ntasks-per-node": "8"},
        ),
        (
            "numactl --interleave=all taskset -c 0-7 timeout 10h env X=1 python -u train.py --lr 1",
            "train.py",
            {},
        ),
        ("bash -c 'torchrun --nnodes 1 train.py --lr 1 > log'", "train.py", {"nnodes": "1"}),
        ('CMD="torchrun --nnodes 1 train.py --lr 1 2>&1"; echo $CMD; eval $CMD', "train.py", {"nnodes": "1"}),
        ("if ! torchrun --standalone train.py --lr 1; then exit 1; fi", "train.py", {"standalone": True}),
        ("torchrun --nnodes 1 -- train.py --lr 1", "train.py", {"nnodes": "1"}),
    ],
)
def test_launchers(line: str, program: str, launcher: dict[str, Value]) -> None:
    found = read(line + "\n")
    assert found.program == program
    assert said(found, Dialect.LAUNCHER) == launcher
    assert said(found, Dialect.PLAIN) == {"lr": "1"}


def test_the_last_line_that_trains_counts() -> None:
    found = read("""
        python tools/preprocess_data.py --input a.json
        torchrun pretrain_gpt.py --lr 1e-4
        torchrun pretrain_gpt.py --lr 2e-4
        python tools/checkpoint/convert_ckpt.py --lr 3
        python plot.py --lr 4
        """)
    assert (found.program, said(found, Dialect.MEGATRON)) == ("pretrain_gpt.py", {"lr": "2e-4"})


def test_batch_options_count_for_the_launcher() -> None:
    found = read(
        "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node 8\n#SBATCH -J job\nsrun python train.py --lr 1\n"
    )
    assert said(found, Dialect.LAUNCHER) == {"nodes": "4", "ntasks-per-node": "8", "J": "job"}


def test_files_beside_it_are_read_in(tmp_path: Path) -> None:
    (tmp_path / "env.sh").write_text("export HCCL_DETERMINISTIC=true\nLR=3e-4\n")
    (tmp_path / "inner.sh").write_text('source env.sh\ntorchrun train.py --lr $LR --tp $1 --rest "${@:2}"\n')
    outer = tmp_path / "outer.sh"
    outer.write_text('cd $(dirname "$0")\nbash ./inner.sh 4 8 2>&1 | tee log\n')
    found = read_script(EvidenceFile(str(outer)))
    assert found is not None
    assert said(found, Dialect.PLAIN) == {"lr": "3e-4", "tp": "4"}
    assert exported(found) == {"HCCL_DETERMINISTIC": "true"}
    assert found.environment[0].place == (str(tmp_path / "env.sh"), 1, "")


def test_scripts_that_call_each_other_end(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_text("source b.sh\ntorchrun train.py --lr 1\n")
    (tmp_path / "b.sh").write_text("source a.sh\n")
    found = read_script(EvidenceFile(str(tmp_path / "a.sh")))
    assert found is not None
    assert said(found, Dialect.PLAIN) == {"lr": "1"}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "train.log",
            "[2024-01-01] launching\ntorchrun train.py --lr 1\n[2024-01-01] iteration 1/10\n[x] y\n",
        ),
        ("env.txt", "A=1\nB=2\n"),
        ("notes.md", "torchrun train.py --lr 1\n"),
        ("train.py", "print('torchrun train.py')\n"),
        ("data.bin", "\0\1\2torchrun x"),
    ],
)
def test_what_is_no_script(name: str, text: str) -> None:
    assert read_script(EvidenceFile("/jobs/" + name, content=text.encode())) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("launch", "#!/usr/bin/env bash\nA=1\n"),
        ("launch.txt", "torchrun --nnodes 1 train.py --lr 1\n"),
        ("job.slurm", "srun python train.py\n"),
    ],
)
def test_what_is_one(name: str, text: str) -> None:
    assert read_script(EvidenceFile("/jobs/" + name, content=text.encode())) is not None


def test_a_script_without_end_is_a_problem() -> None:
    found = read_script(EvidenceFile("/jobs/a.sh", content=b"A=1\n" * 400_000))
    assert found is not None
    assert (found.kinds, [problem.code for problem in found.problems]) == ((), ["settings_too_large"])


def test_a_launchers_own_configuration_is_read(tmp_path: Path) -> None:
    (tmp_path / "fsdp.yaml").write_text("distributed_type: FSDP\nnum_processes: 8\n")
    script = tmp_path / "run.sh"
    script.write_text("accelerate launch --config_file fsdp.yaml train.py --lr 1\n")
    found = read_script(EvidenceFile(str(script)))
    assert found is not None
    assert said(found, Dialect.LAUNCHER) == {
        "distributed_type": "FSDP",
        "num_processes": 8,
        "config_file": "fsdp.yaml",
    }


def test_what_a_script_writes_for_others_is_no_setting() -> None:
    found = read("""
        echo "done {" > result.json
        cat > hosts.yaml <<EOF
        a: 1
        EOF
        torchrun train.py --lr 1
        """)
    assert found.problems == ()
    assert {item.name for item in found.settings} == {"lr"}
