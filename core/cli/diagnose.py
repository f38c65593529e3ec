"""``ulpscope diagnose``: which operator introduces the difference, in one sentence."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.pair import add_pair_arguments, pair_options, problems_of, sentences
from core.cli.profiles import add_profile_arguments, profile_of
from core.cli.status import Status, status_of
from core.compare.engine import Comparison
from core.diagnosis.engine import diagnose_runs
from core.diagnosis.quoting import quote
from core.errors import InputError, Problem
from core.messages import render, text
from core.records.diagnosis import Diagnosis, Suspect
from core.records.result import CellResult, Verdict
from core.records.stacks import Frame
from core.report.callers import callers_of
from core.report.files import check_output
from core.report.json_report import counts_of, json_safe
from core.store.prechecks import read_table_file
from core.store.results import chosen_cells, load_cells, load_diagnosis, load_info
from core.store.runs import is_result

_ASKS_ANEW = ("mapping", "thresholds", "reference", "golden_repeat", "profile", "output")
"""Options that only a comparison made anew can follow."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_pair_arguments(parser)
    add_profile_arguments(parser)
    parser.add_argument("-o", "--output", metavar="FILE.h5", help=text("cli.help.diagnose_output"))
    parser.add_argument("--precheck", metavar="FILE.json", help=text("cli.help.diagnose_precheck"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    precheck = read_table_file(arguments.precheck).report if arguments.precheck is not None else None
    path = arguments.target_path or arguments.target
    if path and is_result(path):
        diagnosis, cells, problems = _kept(path, arguments)
    else:
        diagnosis, cells, problems = _made(arguments)
    if precheck is not None:
        diagnosis = quote(diagnosis, precheck)
    if arguments.json:
        print_json(as_json(diagnosis, cells, problems))
    else:
        print(escaped(as_text(diagnosis, cells), lines=True))
        print_problems(problems, quiet=arguments.quiet)
    if diagnosis.nothing_compared is not None:
        return Status.TROUBLE
    return Status.DIFFERENT if diagnosis.suspects else status_of(cells)


def _made(arguments: argparse.Namespace) -> tuple[Diagnosis, list[CellResult], list[Problem]]:
    """Compare and diagnose two runs."""
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
    return diagnosis, cells, problems_of(comparison, cells)


def _kept(path: str, arguments: argparse.Namespace) -> tuple[Diagnosis, list[CellResult], list[Problem]]:
    """Read the diagnosis that a result file holds, of the cells that are asked for."""
    if arguments.golden or arguments.golden_path:
        raise InputError(Problem("finished_analysis", path))
    for name in _ASKS_ANEW:
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            raise InputError(Problem("result_not_compared_anew", path, {"option": option}))
    diagnosis, info = load_diagnosis(path), load_info(path)
    if diagnosis is None or not info.golden_path:
        raise InputError(Problem("no_diagnosis", path))
    chosen = chosen_cells(path, arguments.step, arguments.rank)
    cells = list(load_cells(path, chosen))
    suspects = tuple(suspect for suspect in diagnosis.suspects if suspect.cell in chosen)
    remarks = tuple(suspect for suspect in diagnosis.remarks if suspect.cell in chosen)
    return Diagnosis(suspects, remarks), cells, problems_of(Comparison(info, path), cells)


def as_json(diagnosis: Diagnosis, cells: list[CellResult], problems: list[Problem]) -> dict[str, Any]:
    """Return what ``diagnose --json`` prints."""
    callers = callers_of(diagnosis.suspects, cells)
    return {
        "suspects": [
            _facts(suspect, callers.get(position)) for position, suspect in enumerate(diagnosis.suspects)
        ],
        "remarks": [render(suspect.message) for suspect in diagnosis.remarks],
        "precheck": [render(quoted) for quoted in diagnosis.quotes],
        "problems": sentences(problems),
    }


def as_text(diagnosis: Diagnosis, cells: list[CellResult]) -> str:
    """Return the answer for a terminal: what the pre-check says, the first suspect with its proof, then the
    others, then remarks.
    """
    lines: list[str] = []
    if diagnosis.quotes:
        lines += [text("cli.diagnose.precheck", count=len(diagnosis.quotes))]
        lines += [*(f"  {render(quoted)}" for quoted in diagnosis.quotes), ""]
    unlisted = diagnosis.nothing_compared
    callers = callers_of(diagnosis.suspects, cells)
    if unlisted is not None:
        lines.append(render(unlisted.message))
    elif diagnosis.first is None:
        counts = counts_of(cells)
        lines.append(text("cli.diagnose.nothing"))
        if counts["differs"]:
            lines.append(text("cli.diagnose.unknown_origin", count=counts["differs"]))
        for verdict in (Verdict.GOLDEN_INVALID, Verdict.NOT_COMPARED):
            name = verdict.name.lower()
            if counts[name]:
                operator = _first_operator(cells, verdict)
                lines.append(text(f"cli.diagnose.{name}", count=counts[name], operator=operator))
    else:
        lines += [render(diagnosis.first.message), *_evidence(diagnosis.first, callers.get(0))]
        for position, suspect in enumerate(diagnosis.suspects[1:], 1):
            lines += ["", text("cli.diagnose.others")] if position == 1 else []
            lines.append(f"  {render(suspect.message)}")
            lines += _called_from(callers.get(position), "    ")
    remarks = [f"  {render(suspect.message)}" for suspect in diagnosis.remarks if suspect is not unlisted]
    if remarks:
        lines += ["", text("cli.diagnose.remarks"), *remarks]
    return "\n".join(lines)


def _first_operator(cells: list[CellResult], verdict: Verdict) -> str:
    """Return the call of the first row of *verdict*, by its name on the target where it has one."""
    for cell in cells:
        for row in np.flatnonzero(cell.rows.verdict == verdict)[:1].tolist():
            target, golden = int(cell.rows.target_operator[row]), int(cell.rows.golden_operator[row])
            return cell.target.operator_name(target) if target >= 0 else cell.golden.operator_name(golden)
    return ""


def _called_from(frame: Frame | None, indent: str) -> list[str]:
    """Return the lines that tell where a call was made; none where no stack does."""
    if frame is None:
        return []
    place = f"{frame.path}:{frame.line}" if frame.line else frame.path
    lines = [f"{indent}{text('cli.overflow.called_from', place=place, function=frame.function)}"]
    return [*lines, f"{indent}    {frame.code.strip()}"] if frame.code.strip() else lines


def _evidence(suspect: Suspect, frame: Frame | None) -> list[str]:
    rows = [
        f"  {text('cli.diagnose.proof')}: {text(f'proof.{suspect.proof.value}')}",
        f"  {suspect.cell.label()}",
    ]
    rows += _called_from(frame, "  ")
    if suspect.module:
        rows.append(f"  {text('cli.diagnose.module')}: {suspect.module}")
    for name, value in suspect.evidence.items():
        shown = f"{value:.4g}" if isinstance(value, float) else str(value)
        rows.append(f"  {text(f'evidence_fact.{name}')}: {shown}")
    return rows


def _facts(suspect: Suspect, frame: Frame | None) -> dict[str, Any]:
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
        "called_from": None if frame is None else frame._asdict(),
        "evidence": evidence,
    }
