"""The settings of two runs, spelt at random in forms of their own: what is equal passes, what differs fails.

Numbers are written in any of the ways that people write them, options in any order, in shell scripts, yaml
and JSON. Half of the pairs have one setting with another value: its row must fail; of all others no row may.
"""

from __future__ import annotations

import json
import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from random import Random

from campaign import Failure, run

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from builders.settings import side_of

from core.messages import render
from core.precheck.engine import examine
from core.precheck.pair import Pair
from core.progress import run_to_end
from core.records.precheck import Outcome

_RATES = ("1e-5", "2.5e-4", "0.001", "1.25e-6")
MEGATRON: dict[str, tuple[tuple[str, ...], str]] = {
    "lr": (_RATES, "hyper_parameters.learning_rate"),
    "weight-decay": (("0.01", "0.1"), "hyper_parameters.optimizer"),
    "adam-beta2": (("0.95", "0.999"), "hyper_parameters.optimizer"),
    "clip-grad": (("1", "0.5"), "hyper_parameters.optimizer"),
    "micro-batch-size": (("1", "2", "4"), "hyper_parameters.batch"),
    "tensor-model-parallel-size": (("1", "2", "4"), "hyper_parameters.parallel"),
    "num-layers": (("8", "16", "32"), "model.shape"),
    "hidden-size": (("1024", "2048"), "model.shape"),
    "seq-length": (("2048", "4096"), "model.shape"),
    "norm-epsilon": (("1e-5", "1e-6"), "model.details"),
    "rotary-base": (("10000", "500000"), "model.details"),
    "seed": (("1", "42"), "randomness.seed"),
}
"""Values of each option, and the row that is to fail where they differ."""
TRAINER: dict[str, tuple[tuple[str, ...], str]] = {
    "learning_rate": (_RATES, "hyper_parameters.learning_rate"),
    "weight_decay": (("0.01", "0.1"), "hyper_parameters.optimizer"),
    "adam_beta2": (("0.95", "0.99"), "hyper_parameters.optimizer"),
    "max_grad_norm": (("2", "0.5"), "hyper_parameters.optimizer"),
    "per_device_train_batch_size": (("1", "2", "4"), "hyper_parameters.batch"),
    "gradient_accumulation_steps": (("1", "8"), "hyper_parameters.batch"),
    "warmup_ratio": (("0.03", "0.1"), "hyper_parameters.learning_rate"),
    "max_steps": (("300", "1000"), "hyper_parameters.learning_rate"),
    "seed": (("7", "42"), "randomness.seed"),
}
_HEADS = {
    "megatron": "torchrun --nproc_per_node 8 pretrain_gpt.py --num-attention-heads 16 --train-iters 9 --bf16",
    "trainer": "torchrun --nproc_per_node 8 run_clm.py --output_dir out --bf16 True",
}
_DECIDED = frozenset(row for table in (MEGATRON, TRAINER) for _, row in table.values())


def spelt(number: str, random: Random) -> str:
    """Return *number* in one of its spellings, the value the same to the last digit."""
    value = Decimal(number)
    plain, scientific = f"{value:f}", f"{value:e}"
    ways = [number, plain, scientific, scientific.upper()]
    if "." in plain:
        ways += [plain + "0", plain.replace("0.", ".", 1) if plain.startswith("0.") else plain]
    return random.choice(ways)


def script(said: dict[str, str], random: Random, head: str) -> str:
    """Return a launch script that says *said*, some of it by variables."""
    lines, options = ["#!/bin/bash"], []
    for name, number in random.sample(sorted(said.items()), len(said)):
        value = spelt(number, random)
        kind = random.random()
        if kind < 0.3:
            variable = name.upper().replace("-", "_")
            lines.append(f"{random.choice(['', 'export '])}{variable}={value}")
            value = random.choice([f"${variable}", f"${{{variable}}}", f'"${variable}"'])
        elif kind < 0.4:
            value = f"${{NOBODY_SET_{len(lines)}:-{value}}}"
        options.append(f"--{name}{random.choice([' ', '='])}{value}")
    joined = random.choice([" ", " \\\n    "]).join(options)
    if random.random() < 0.5:
        lines += [f'TRAIN_ARGS="{joined}"', f"{head} $TRAIN_ARGS"] if '"$' not in joined else []
    if not lines[-1].startswith(head):
        lines.append(f"{head} {joined}")
    return "\n".join(lines) + "\n"


def document(said: dict[str, str], random: Random, path: Path) -> None:
    """Write *said* as yaml or as JSON, by the ending of *path*."""
    items = [(name, spelt(number, random)) for name, number in random.sample(sorted(said.items()), len(said))]
    if path.suffix == ".yaml":
        text = "".join(f"{name}: {value}\n" for name, value in items) + "output_dir: out\nbf16: true\n"
    else:
        numbers = {name: json.loads(value if value[0] != "." else f"0{value}") for name, value in items}
        text = json.dumps({**numbers, "output_dir": "out", "bf16": True})
    path.write_text(text, "utf-8")


def written(family: str, said: dict[str, str], random: Random, folder: Path, name: str) -> Path:
    """Write the evidence of one side, and return where."""
    suffix = ".sh" if family == "megatron" else random.choice([".sh", ".yaml", ".json"])
    path = folder / f"{name}{suffix}"
    if suffix == ".sh":
        path.write_text(script(said, random, _HEADS[family]), "utf-8")
    else:
        document(said, random, path)
    return path


def trial(random: Random) -> str:
    """Write two runs and examine them."""
    family, table = random.choice([("megatron", MEGATRON), ("trainer", TRAINER)])
    golden = {name: random.choice(values) for name, (values, _) in table.items()}
    target, planted = dict(golden), ""
    if random.random() < 0.5:
        planted = random.choice(sorted(table))
        target[planted] = random.choice([value for value in table[planted][0] if value != golden[planted]])
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sides = ((target, "npu"), (golden, "gpu"))
        paths = [written(family, said, random, folder, which) for said, which in sides]
        checks = run_to_end(examine(Pair(side_of(paths[0]), side_of(paths[1]))))
        texts = "\n".join(path.read_text("utf-8") for path in paths)
    results = {check.id: check for check in checks}
    if planted and results[table[planted][1]].result is not Outcome.FAIL:
        raise Failure(f"{planted} {target[planted]} against {golden[planted]} did not fail:\n{texts}")
    for check in checks:
        if not planted and check.id in _DECIDED and check.result is Outcome.FAIL:
            raise Failure(f"{check.id} failed: {render(check.message, 'en')}\n{texts}")
    return f"{family}: {'planted' if planted else 'equal'}"


if __name__ == "__main__":
    run("spellings", trial)
