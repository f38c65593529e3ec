"""Draw small networks with planted faults and dump both sides with the official dumper.

Needs torch and mindstudio-probe, in a process of its own, since the dumper hooks torch for good::

    python dump_draws.py --task tensor --level mix --seed 7 --draws 0 1 2 --output DIR

A draw becomes ``DIR/<number>`` with the dumps ``golden``, ``target`` (with a fault) and ``clean`` (the
target without the fault), each a cell, and ``answer.json``. The answer is known from how the fault was
made; whether it can be seen at all is found by comparing ``target`` with ``clean``.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import json
import logging
import os
import random
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import torch
from builders.evidence_of_fault import seen_in_dumps
from builders.official_dumper import settings
from builders.planted_faults import (
    KERNEL_KINDS,
    Planted,
    change_argument,
    change_data,
    change_structure,
    change_weight,
    plant_kernel_fault,
)
from builders.random_networks import (
    ARCHITECTURES,
    Attention,
    Block,
    Sizes,
    make_batch,
    make_network,
    random_sizes,
)
from builders.traced_kernels import Kernels, Place, Wrong
from msprobe.pytorch import PrecisionDebugger
from torch import nn

BACKGROUNDS = ("same", "same", "same", "halved", "halved", "bfloat16", "float16", "fused", "rounded",
               "neutral", "checkpointed")  # fmt: skip
"""What is harmlessly different on the target."""
CONFIGURED = ("argument", "argument", "weights", "weights", "data", "structure", "structure")
UNIT_ROUNDOFF = {"bfloat16": 2.0**-8, "float16": 2.0**-11, "rounded": 2.0**-11}


@dataclass(frozen=True)
class Setting:
    """What both sides have in common."""

    architecture: str
    sizes: Sizes
    seed: int
    optimizer: str


class Side:
    """One side of a draw: a network and a batch that may still be changed, then one training step."""

    def __init__(self, setting: Setting, background: str) -> None:
        self.setting, self.background = setting, background
        self.network = make_network(setting.architecture, setting.sizes, setting.seed)
        self.batch = make_batch(setting.sizes, setting.seed)
        vision = setting.architecture in ("vision", "convolutional")
        self.inputs = ("images", "labels") if vision else ("ids", "mask", "labels")
        self.batch["labels"] = self.batch["image_labels" if vision else "token_labels"]
        for module in self.network.modules():
            if isinstance(module, Attention) and background == "fused":
                module.fused = True
            if isinstance(module, Block):
                module.neutral = background == "neutral"
                module.checkpointed |= background == "checkpointed"
        if background == "rounded":
            with torch.no_grad():
                for parameter in self.network.parameters():
                    parameter.copy_(parameter.half().float())

    def train(self, debugger: Any, kernels: Kernels, *, optimizer: bool) -> None:
        """Train one step under the dumper and *kernels*."""
        torch.manual_seed(self.setting.seed)
        network = self.network
        steps: torch.optim.Optimizer
        if self.setting.optimizer == "adamw":
            steps = torch.optim.AdamW(network.parameters(), lr=1e-3, foreach=False)
        else:
            steps = torch.optim.SGD(network.parameters(), lr=1e-2, momentum=0.9, foreach=False)
        mixed = self.background in ("bfloat16", "float16")
        dtype = torch.float16 if self.background == "float16" else torch.bfloat16
        debugger.start(model=network, rank_id=0)
        with kernels.following(network):
            with torch.autocast("cpu", dtype=dtype, enabled=mixed):
                loss = network(self.batch)
            loss.backward()
        if optimizer:
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            steps.step()
        debugger.stop()
        debugger.step()
        # Modules that were dumped once are kept by the dumper.
        for module in network.modules():
            module._forward_pre_hooks.clear()


class Drawing:
    """Draws, one after the other, in one process."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.output = Path(options.output)
        self.raw = self.output / "raw"
        config = self.output / "config.json"
        mode = "md5" if options.task == "md5" else "statistics"
        task = "tensor" if options.task == "tensor" else "statistics"
        config.write_text(json.dumps(settings(task, options.level, summary_mode=mode)))
        self.debugger = PrecisionDebugger(config_path=str(config), dump_path=str(self.raw))
        self.step = 0

    def dump(self, side: Side, kernels: Kernels, place: Path) -> Path:
        """Train *side* one step; its dump becomes the cell under *place*."""
        side.train(self.debugger, kernels, optimizer=self.options.level == "mix")
        cell = place / "step0" / "rank0"
        cell.parent.mkdir(parents=True)
        shutil.move(self.raw / f"step{self.step}" / "rank0", cell)
        self.step += 1
        return cell

    def draw(self, number: int) -> None:
        """Make one draw; one without a fault where none fits."""
        random_ = random.Random(f"{self.options.seed} {number}")
        setting = Setting(
            random_.choice(sorted(ARCHITECTURES)), random_sizes(random_), random_.randrange(1 << 20),
            random_.choice(("adamw", "sgd")),
        )  # fmt: skip
        background = random_.choice(BACKGROUNDS)
        folder = self.output / str(number)
        golden = self.dump(Side(setting, "same"), Kernels(), folder / "golden")
        traced = Kernels(halved=background == "halved")
        clean = self.dump(Side(setting, background), traced, folder / "clean")
        side = Side(setting, background)
        kind = random_.choice(("kernel", "kernel", "backward", "configured"))
        faulty, planted = Kernels(halved=background == "halved"), None
        if kind == "configured":
            planted = _configure(random_, side)
        if planted is None:
            ways = [place for place in traced.places if (".backward" in place.call) == (kind == "backward")]
            found = None
            while found is None:
                found = plant_kernel_fault(random_, ways, random_.choice(KERNEL_KINDS) if (
                    kind != "configured") else "kernel_scaled")  # fmt: skip
            planted = self._plant(random_, faulty, found, kind)
        target = self.dump(side, faulty, folder / "target")
        if planted.modules or planted.storage:
            planted = _found_in_trace(planted, traced, faulty)
        # Only signed zeros have changed, or the kernel has not run again: no fault.
        idle = faulty.place is not None and not faulty.changed
        floor = UNIT_ROUNDOFF.get(background, 2.0**-24)
        answer = {
            **dataclasses.asdict(setting), "background": background, "number": number,
            "kind": planted.kind, "detail": planted.detail, "first": planted.calls,
            "decidable": not idle and seen_in_dumps(golden, clean, target, planted, self.options.task, floor),
        }  # fmt: skip
        (folder / "answer.json").write_text(json.dumps(answer, indent=1))

    @staticmethod
    def _plant(
        random_: random.Random, kernels: Kernels, found: tuple[Place, Wrong] | None, kind: str
    ) -> Planted:
        assert found is not None
        kernels.place, kernels.wrong = found
        way = getattr(found[1], "__name__", "").lstrip("_")
        side = "backward" if ".backward" in found[0].call else "forward"
        return Planted(f"{side}_{way}", f"{found[0].kernel} #{found[0].number}", calls=(found[0].call,))


def _configure(random_: random.Random, side: Side) -> Planted | None:
    kind = random_.choice(CONFIGURED)
    if kind == "argument":
        return change_argument(random_, side.network)
    if kind == "weights":
        return change_weight(random_, side.network)
    if kind == "data":
        return change_data(random_, side.batch, side.inputs)
    return change_structure(random_, side.network)


def _found_in_trace(planted: Planted, clean: Kernels, faulty: Kernels) -> Planted:
    """Return *planted* with the names of the calls to blame."""
    calls: list[str] = []
    for kernels in (faulty, clean):
        seen = kernels.seen
        for index, call in enumerate(seen):
            used = kernels is faulty and planted.storage in call.storages
            inside = call.module in planted.modules and call.call.split(".")[1] in planted.apis
            fits = planted.number is None or (kernels is faulty and planted.number in call.numbers)
            if used or (inside and fits):
                calls.append(call.call)
                if kernels is clean and planted.kind in ("structure_missing", "structure_replaced"):
                    # What is missing on the target shows where the next call takes another value.
                    calls += [after.call for after in seen[index + 1 : index + 2]]
                break
    return dataclasses.replace(planted, calls=tuple(dict.fromkeys(calls)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--task", choices=("tensor", "statistics", "md5"), required=True)
    parser.add_argument("--level", choices=("mix", "L1"), default="mix")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--draws", type=int, nargs="+", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    logging.disable(logging.INFO)
    drawing = Drawing(options)
    with Path(os.devnull).open("w") as nowhere, contextlib.redirect_stdout(nowhere):
        for number in options.draws:
            drawing.draw(number)


if __name__ == "__main__":
    main()
