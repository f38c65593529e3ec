"""``ulpscope tensors``: two tensor files, their metrics, verdict and patterns."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from core.cli.console import drive, print_json, print_problems, table
from core.cli.status import Status
from core.compare.tensor_files import MetricValue, TensorComparison, compare_tensor_files, metrics_of
from core.dtypes import DTYPES, dtype_named
from core.errors import InputError, Problem
from core.messages import render, text
from core.metrics.noise import load_noise, shipped_noise
from core.metrics.patterns.pattern import Number, Pattern
from core.metrics.patterns.wording import grouped
from core.records.result import Reason, Verdict
from core.report.json_report import json_safe
from core.workers.worker import in_worker

LARGE = 64 << 20
"""Bytes of both files from which a process of its own reads them."""

_SPECIAL = {"nan": "NaN", "+inf": "+Inf", "-inf": "−Inf"}
_EXACT = ("cosine", "share_below_1e3", "share_below_5e3")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("target", metavar="A", help=text("cli.help.tensor_target"))
    parser.add_argument("golden", metavar="B", help=text("cli.help.tensor_golden"))
    parser.add_argument("--dtype", metavar="NAME", help=text("cli.help.dtype"))
    parser.add_argument("--thresholds", metavar="FILE", help=text("cli.help.thresholds"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if arguments.dtype is not None and dtype_named(arguments.dtype) is None:
        raise InputError(Problem("no_such_dtype", arguments.dtype, {"known": ", ".join(DTYPES)}))
    noise = load_noise(arguments.thresholds) if arguments.thresholds else shipped_noise()
    asked = arguments.target, arguments.golden, noise, arguments.dtype
    # Whoever reads a mapped file dies as it is cut. A process more takes as long as reading a large file.
    large = sum(map(_size, asked[:2])) >= LARGE
    work = in_worker(compare_tensor_files, *asked) if large else compare_tensor_files(*asked)
    found = drive(work, quiet=arguments.quiet)
    problems = [problem for item in found for problem in item.problems]
    if arguments.json:
        facts = [_facts(item) for item in found]
        whole = max(
            facts, key=lambda item: Verdict[item["verdict"].upper()], default={"verdict": "not_compared"}
        )
        print_json(facts[0] if len(facts) == 1 else {"verdict": whole["verdict"], "tensors": facts})
    else:
        print("\n\n".join(_as_text(item) for item in found))
        print_problems(problems, quiet=arguments.quiet)
    return _status(found)


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except (OSError, ValueError):
        return 0


def _status(found: list[TensorComparison]) -> Status:
    harmful = [item for item in found if item.judgement.reason is not Reason.BOTH_EMPTY]
    if all(item.judgement.verdict is Verdict.NOT_COMPARED for item in found):
        return Status.TROUBLE
    return (
        Status.DIFFERENT
        if any(item.judgement.verdict >= Verdict.NOT_COMPARED for item in harmful)
        else Status.SAME
    )


def _facts(item: TensorComparison) -> dict[str, Any]:
    numbers = metrics_of(item.metrics, item.judgement, item.shape)
    return {
        "name": item.name,
        "verdict": item.judgement.verdict.name.lower(),
        "reason": item.judgement.reason.name.lower(),
        "evidence": item.evidence.name.lower(),
        "target": item.target,
        "golden": item.golden,
        "metrics": {
            name: json_safe(value) if isinstance(value, int | float) else value
            for name, value in numbers.items()
        },
        "patterns": [_pattern_facts(pattern) for pattern in item.patterns],
        "problems": [problem.sentence() for problem in item.problems],
    }


def _pattern_facts(pattern: Pattern) -> dict[str, Any]:
    """Return name, sentence, share, the numbers of the pattern, and where it lies."""
    numbers = {name: _safe(value) for name, value in pattern.numbers.items()}
    marks = [{"box": mark.box} if mark.box is not None else {"flat": mark.flat} for mark in pattern.marks]
    facts = {"name": str(pattern.name), "sentence": render(pattern.message), "share": pattern.share}
    return {**numbers, **facts, "marks": marks}


def _safe(value: Number) -> Any:
    if isinstance(value, list):
        return [json_safe(item) if isinstance(item, float) else item for item in value]
    return json_safe(value) if isinstance(value, float) else value


def _as_text(item: TensorComparison) -> str:
    verdict, reason = item.judgement.verdict, item.judgement.reason
    words = f"{text(f'verdict.{verdict.name.lower()}')}: {text(f'reason.{reason.name.lower()}')}"
    rows: list[tuple[str, ...]] = [
        (text("cli.info.target"), item.target),
        (text("cli.info.golden"), item.golden),
        *(
            (name, _metric_as_text(name, value))
            for name, value in metrics_of(item.metrics, item.judgement, item.shape).items()
            if not name.endswith("_index")
        ),
    ]
    head = f"{item.name}  {words}" if item.name else words
    lines = [head]
    if item.patterns:
        lines.append(f"{text('cli.tensors.patterns')}:")
        lines += [f"  - {render(pattern.message)}" for pattern in item.patterns]
    if any(row[1] for row in rows):
        lines.append(table([row for row in rows if row[1]]))
    return "\n".join(lines)


def _metric_as_text(name: str, value: MetricValue) -> str:
    """Return a number, an index such as ``[17, 40]``, or element classes in words.

    Errors have seven digits; a cosine and shares have all, so that 1 is only what is 1.
    """
    if isinstance(value, dict):
        return "; ".join(_class_as_text(name, number) for name, number in value.items())
    if isinstance(value, int):
        return grouped(value)
    return f"{value:.7g}" if isinstance(value, float) and name not in _EXACT else f"{value}"


def _class_as_text(classes: str, number: int) -> str:
    """Return how many elements have the *classes* of target and golden, such as ``finite/nan``."""
    target, golden = classes.split("/")
    if target == golden:
        return text("cli.tensors.class.same", name=_class_name(target), number=grouped(number))
    names = {"target": _class_name(target), "golden": _class_name(golden)}
    return text("cli.tensors.class.other", number=grouped(number), **names)


def _class_name(name: str) -> str:
    """Return how people write an element class."""
    return text("cli.tensors.class.finite") if name == "finite" else _SPECIAL[name]
