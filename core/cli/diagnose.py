"""``ulpscope diagnose``: which operator introduces the difference, in one sentence."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.pair import add_pair_arguments, pair_options, problems_of, sentences
from core.cli.profiles import add_profile_arguments, profile_of
from core.cli.status import Status, status_of
from core.diagnosis.engine import diagnose_runs
from core.errors import Problem
from core.messages import render, text
from core.records.diagnosis import Diagnosis, Suspect
from core.records.result import CellResult, Verdict
from core.report.files import check_output
from core.report.json_report import counts_of, json_safe


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_pair_arguments(parser)
    add_profile_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE.h5", help=text("cli.help.diagnose_output"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    target, golden, options = pair_options(arguments)
    if arguments.output is not None:
        check_output(arguments.output, (target, golden), (".h5",))
    cells: list[CellResult] = []
    work = diagnose_runs(
        target,
        golden,
        options,
        result_path=arguments.output or "",
        compressed=True,
        take=cells.append,
        reference=arguments.reference,
        golden_repeat=arguments.golden_repeat,
        profile=profile_of(arguments),
    )
    comparison, diagnosis = drive(work, quiet=arguments.quiet)
    problems = problems_of(comparison, cells)
    if arguments.json:
        print_json(as_json(diagnosis, problems))
    else:
        print(escaped(as_text(diagnosis, cells), lines=True))
        print_problems(problems, quiet=arguments.quiet)
    return Status.DIFFERENT if diagnosis.suspects else status_of(cells)


def as_json(diagnosis: Diagnosis, problems: list[Problem]) -> dict[str, Any]:
    """Return what ``diagnose --json`` prints."""
    return {
        "suspects": [_facts(suspect) for suspect in diagnosis.suspects],
        "remarks": [render(suspect.message) for suspect in diagnosis.remarks],
        "problems": sentences(problems),
    }


def as_text(diagnosis: Diagnosis, cells: list[CellResult]) -> str:
    """Return the answer for a terminal: the first suspect with its proof, then the others, then remarks."""
    lines = []
    if diagnosis.first is None:
        counts = counts_of(cells)
        lines.append(text("cli.diagnose.nothing", differs=counts["differs"]))
        for verdict in (Verdict.GOLDEN_INVALID, Verdict.NOT_COMPARED):
            name = verdict.name.lower()
            if counts[name]:
                operator = _first_operator(cells, verdict)
                lines.append(text(f"cli.diagnose.{name}", count=counts[name], operator=operator))
    else:
        lines += [render(diagnosis.first.message), *_evidence(diagnosis.first)]
        others = [f"  {render(suspect.message)}" for suspect in diagnosis.suspects[1:]]
        if others:
            lines += ["", text("cli.diagnose.others"), *others]
    if diagnosis.remarks:
        lines += ["", text("cli.diagnose.remarks")]
        lines += [f"  {render(suspect.message)}" for suspect in diagnosis.remarks]
    return "\n".join(lines)


def _first_operator(cells: list[CellResult], verdict: Verdict) -> str:
    """Return the call of the first row of *verdict*, by its name on the target where it has one."""
    for cell in cells:
        for row in np.flatnonzero(cell.rows.verdict == verdict)[:1].tolist():
            target, golden = int(cell.rows.target_operator[row]), int(cell.rows.golden_operator[row])
            return cell.target.operator_name(target) if target >= 0 else cell.golden.operator_name(golden)
    return ""


def _evidence(suspect: Suspect) -> list[str]:
    rows = [
        f"  {text('cli.diagnose.proof')}: {text(f'proof.{suspect.proof.value}')}",
        f"  {suspect.cell.label()}",
    ]
    if suspect.module:
        rows.append(f"  {text('cli.diagnose.module')}: {suspect.module}")
    for name, value in suspect.evidence.items():
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        rows.append(f"  {text(f'evidence_fact.{name}')}: {shown}")
    return rows


def _facts(suspect: Suspect) -> dict[str, Any]:
    evidence = {
        name: json_safe(value) if isinstance(value, float) else value
        for name, value in suspect.evidence.items()
    }
    return {
        "operator": suspect.operator,
        "golden_operator": suspect.golden_operator,
        "slot": suspect.slot,
        "phase": suspect.cell.phase,
        "step": suspect.cell.step,
        "rank": suspect.cell.rank,
        "kind": suspect.kind.value,
        "severity": suspect.severity.value,
        "proof": suspect.proof.value,
        "sentence": render(suspect.message),
        "module": suspect.module,
        "evidence": evidence,
    }
