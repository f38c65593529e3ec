"""Training logs at random: damaged ones are read or refused by name; planted faults are found, noise is not.

A trial either damages a log of some form and lays it on the whole one, or makes a pair of losses with one
known fault, or with none, and asks for the verdict and the first bad step.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from random import Random

import numpy as np
from campaign import Failure, run
from fuzz import damage

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from builders.logged_runs import another_device, falling_loss, logged
from builders.training_logs import write_megatron, write_table

from core.curves.engine import judge_alone, judge_curves
from core.curves.jobs import read_run
from core.errors import InputError
from core.messages import LANGUAGES, render
from core.progress import run_to_end
from core.records.curves import CurvesReport, FindingName, LoggedRun
from core.records.training import Judgement, Weight

EVENTS = next((Path(__file__).parents[1] / "data/logs").glob("**/events.out.tfevents*"))


def trial(random: Random) -> str:
    """Do one of the two."""
    return damaged_log(random) if random.random() < 0.6 else planted_fault(random)


def damaged_log(random: Random) -> str:
    """Read a log that was damaged, and lay it on the whole one."""
    with tempfile.TemporaryDirectory() as folder:
        whole = make_log(Path(folder), random)
        other = make_log(Path(folder), random)
        name = whole.name if whole.name.startswith("events") else f"damaged-{whole.name}"
        place = Path(folder) / "damaged" / name
        place.parent.mkdir()
        content = damage(whole.read_bytes(), random, other.read_bytes())
        place.write_bytes(content)
        golden = run_to_end(read_run(str(whole))).run
        try:
            target = run_to_end(read_run(str(place))).run
        except InputError as error:
            readable_problem(error)
            return "logs refused"
        if place.read_bytes() != content:
            raise Failure(f"reading changed {place.name}")
        check_run(target)
        readable(judge_alone(target))
        try:
            readable(judge_curves(target, golden))
        except InputError as error:
            readable_problem(error)
            return "logs with nothing in common"
        return "logs judged"


def make_log(folder: Path, random: Random) -> Path:
    """Write a whole log of some form."""
    count = random.randint(3, 60)
    loss = falling_loss(count, random.randrange(1 << 31))
    place = folder / f"log{random.randrange(1 << 31)}"
    form = random.choice(("megatron", "trainer", "lines", "state", "table", "events", "epochs"))
    if form == "megatron":
        return write_megatron(place.with_suffix(".log"), loss, restart=random.choice((0, count // 4)))
    if form == "table":
        return write_table(place.with_suffix(".csv"), step=np.arange(1, count + 1), loss=loss, lr=loss / 1e3)
    if form == "events":
        target = folder / f"{EVENTS.name}{random.randrange(1 << 31)}"
        target.write_bytes(EVENTS.read_bytes())
        return target
    entries = [{"loss": value, "learning_rate": 1e-4, "step": n} for n, value in enumerate(loss.tolist(), 1)]
    if form == "state":
        text = json.dumps({"log_history": entries})
    elif form == "lines":
        text = "\n".join(map(json.dumps, entries))
    elif form == "trainer":
        text = "\n".join(map(repr, entries))
    else:
        text = "\n".join(f"epoch {n} loss {value:.4f}" for n, value in enumerate(loss))
    place.write_text(text)
    return place


def check_run(run_read: LoggedRun) -> None:
    """See that steps ascend and every one has a value."""
    for name, curve in run_read.curves.items():
        if len(curve.steps) != len(curve.values) or (np.diff(curve.steps) <= 0).any():
            raise Failure(f"the steps of {name} are out of order")


def planted_fault(random: Random) -> str:
    """Plant one fault, or none, in the loss of another device, and see what is said."""
    steps = random.choice((60, 200, 1000, 5000))
    golden = falling_loss(steps, random.randrange(1 << 31), random.choice((0.002, 0.02)))
    noise = random.choice((1e-6, 1e-4, 1e-3))
    target = another_device(golden, random.randrange(1 << 31), noise)
    kind = random.choice(("none", "spike", "jump", "nan", "zero", "ratio", "first"))
    at = random.randrange(steps // 4, 3 * steps // 4)
    if kind == "spike":
        target[at] *= 1 + random.choice((-1, 1)) * random.uniform(0.15, 0.9)
    elif kind == "jump":
        target[at:] *= 1 + random.choice((-1, 1)) * random.uniform(0.03, 0.5)
    elif kind == "nan":
        target[at:] = random.choice((np.nan, np.inf))
    elif kind == "zero":
        target[at:] = 0.0
    elif kind == "ratio":
        target, at = target * random.choice((0.125, 0.5, 2.0, 3.0, 8.0)), 0
    elif kind == "first":
        target[0], at = target[0] * 1.05, 0
    report = judge_curves(logged(target), logged(golden))
    readable(report)
    faults = {found.name for found in report.findings if found.weight is Weight.FAULT}
    wanted = _WANTED[kind]
    if wanted is None:
        if report.verdict is not Judgement.PASS:
            raise Failure(f"noise of {noise} over {steps} steps is called {sorted(faults)}")
    elif wanted not in faults or report.first_bad_step != at + 1:
        raise Failure(f"{kind} at {at + 1} of {steps}: {sorted(faults)} from {report.first_bad_step}")
    return f"planted: {kind}"


_WANTED = {
    "none": None, "spike": FindingName.SPIKE, "jump": FindingName.OVER_LIMIT, "nan": FindingName.NOT_FINITE,
    "zero": FindingName.ZERO_LOSS, "ratio": FindingName.CONSTANT_RATIO, "first": FindingName.FIRST_STEP,
}  # fmt: skip


def readable(report: CurvesReport) -> None:
    """See that every sentence can be said in every language."""
    for language in LANGUAGES:
        for message in (report.sentence, *(found.message for found in report.findings)):
            said = render(message, language)
            if said.startswith("curves.") or "{" in said:
                raise Failure(f"{message.code} says nothing")


def readable_problem(error: InputError) -> None:
    """See that the refusal says why."""
    for language in LANGUAGES:
        if not error.problem.sentence(language):
            raise Failure(f"{error.problem.code} says nothing")


if __name__ == "__main__":
    run("curves", trial)
