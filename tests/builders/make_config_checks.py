"""Make the archives under ``tests/data/precheck`` anew with the official packer, ``msprobe config_check``.

Needs the extra ``integration``::

    python tests/builders/make_config_checks.py

Each side trains two steps of a tiny model in a process of its own, with an environment of its own: nothing of
this machine comes in but the versions of what is installed. Stacks name neutral paths afterwards.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
DESTINATION = TESTS / "data" / "precheck"
SCRIPT = """\
#!/bin/bash
LR={lr}
GPT_ARGS="
    --num-layers 2
    --hidden-size 16
    --micro-batch-size {batch}
    --lr $LR
    --seed 1234
    {precision}
"
torchrun --nproc_per_node 1 pretrain_gpt.py $GPT_ARGS
"""
SIDES = {
    "golden": {"lr": "1.0e-3", "batch": "2", "precision": "--bf16"},
    "target": {"lr": "2.0e-3", "batch": "2", "precision": "--fp16 --use-flash-attn"},
}
ENVIRONMENTS = {
    "golden": {
        "PATH": "/usr/bin:/bin", "HOME": "/root", "NCCL_DETERMINISTIC": "1",
        "WANDB_API_KEY": "0123456789abcdef" * 2,
    },
    "target": {
        "PATH": "/usr/bin:/bin", "HOME": "/root", "HCCL_DETERMINISTIC": "false", "INF_NAN_MODE_ENABLE": "0",
        "ASCEND_LAUNCH_BLOCKING": "1", "https_proxy": "http://user:pa55@proxy:8080",
    },
}  # fmt: skip


def train(side: str, archive: str, script: str) -> None:
    """Train two steps under the official packer; runs in a process of its own, since it patches torch."""
    import torch
    from msprobe.core.config_check.checkers import BaseChecker  # noqa: F401 - registers what is packed
    from msprobe.core.config_check.config_checker import ConfigChecker

    ConfigChecker.apply_patches("pytorch")
    torch.manual_seed(1234)
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Linear(8, 2))
    if side == "target":
        with torch.no_grad():
            model[1].bias.add_(0.5)
    ConfigChecker(model, [script], archive)
    for step in range(2):
        batch = torch.randn(3, 4)
        if side == "target" and step:
            batch = batch + torch.rand(3, 4)
        model(batch)


def pack(side: str, destination: Path) -> None:
    """Write the archive of *side* to *destination*."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script, archive = folder / "pretrain.sh", folder / "pack.zip"
        script.write_text(SCRIPT.format(**SIDES[side]))
        subprocess.run(
            [sys.executable, __file__, side, str(archive), str(script)],
            cwd=folder, env=ENVIRONMENTS[side], check=True, capture_output=True,
        )  # fmt: skip
        neutral(archive, destination)


def neutral(archive: Path, destination: Path) -> None:
    """Copy *archive* with neutral paths and times."""
    names = {
        str(Path(__file__).resolve()): "/workspace/train/pretrain.py",
        sysconfig.get_path("purelib"): "/opt/python/site-packages",
        sysconfig.get_path("stdlib"): "/opt/python/lib",
    }
    destination.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(archive) as source, zipfile.ZipFile(destination, "w", zipfile.ZIP_DEFLATED) as made:
        for info in source.infolist():
            text = source.read(info).decode()
            for path, name in names.items():
                text = text.replace(path, name)
            made.writestr(zipfile.ZipInfo(info.filename), text, zipfile.ZIP_DEFLATED)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        train(*sys.argv[1:])
    else:
        for each in SIDES:
            pack(each, DESTINATION / f"{each}.zip")
