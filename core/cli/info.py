"""``ulpscope info``: what is this, and what is in it? Or one operator, as the old ``parse`` gave it."""

from __future__ import annotations

import argparse
import fnmatch
from collections.abc import Iterable
from typing import Any

import numpy as np

from core.cli.console import drive, escaped, print_json, print_problems, table
from core.cli.log_info import is_log_or_monitor, show_log
from core.cli.status import Status
from core.errors import InputError, Problem
from core.messages import text
from core.progress import Work
from core.records.dump import STATISTICS, Dump, Known, SlotKind
from core.records.result import CellResult, Evidence
from core.records.run import CellKey, Run
from core.records.stacks import decode_stack
from core.report.json_report import counts_of, record
from core.store.cache import Cache
from core.store.results import load_cells, load_info
from core.store.runs import holds_dump, ingest, is_result, open_run


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("path", metavar="PATH", help=text("cli.help.info_path"))
    parser.add_argument("--operator", metavar="NAME", help=text("cli.help.operator"))
    parser.add_argument("--no-cache", action="store_true", help=text("cli.help.no_cache"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    if is_result(arguments.path):
        return _show_result(arguments)
    if not arguments.operator and is_log_or_monitor(arguments.path) and not holds_dump(arguments.path):
        return show_log(arguments.path, arguments.json, arguments.quiet)
    run_found = open_run(arguments.path)
    cache = None if arguments.no_cache else Cache.default()
    dumps = drive(_read_all(run_found, cache), quiet=arguments.quiet)
    if arguments.operator:
        return _show_operator(run_found, dumps, arguments)
    problems = [*run_found.problems, *(problem for _, dump in dumps for problem in dump.problems)]
    facts = _facts(run_found, [dump for _, dump in dumps], problems)
    if arguments.json:
        print_json(facts)
        return Status.SAME
    print(_facts_as_text(facts))
    print_problems(problems, quiet=arguments.quiet)
    return Status.SAME


def _read_all(run_found: Run, cache: Cache | None) -> Work[list[tuple[CellKey, Dump]]]:
    dumps = []
    for key, source in sorted(run_found.cells.items()):
        dumps.append((key, (yield from ingest(source, cache))))
    return dumps


def evidence_of(dumps: Iterable[Dump]) -> str:
    """Return the best evidence that a run can give: ``full``, ``statistics``, ``checksum`` or ``none``."""
    best = "none"
    for dump in dumps:
        tensors = dump.slots.kind == SlotKind.TENSOR
        if (dump.slots.file_size[tensors] >= 0).any():
            return "full"
        if dump.slots.known[tensors].any():
            best = "statistics"
        elif best == "none" and (dump.slots.checksum[tensors] >= 0).any():
            best = "checksum"
    return best


def _facts(run_found: Run, dumps: list[Dump], problems: list[Problem]) -> dict[str, Any]:
    return {
        "format": run_found.format,
        "framework": next((dump.framework for dump in dumps if dump.framework), ""),
        "task": next((dump.recorded for dump in dumps if dump.task), ""),
        "level": next((dump.level for dump in dumps if dump.level), ""),
        "evidence": evidence_of(dumps),
        "steps": run_found.steps,
        "ranks": run_found.ranks,
        "cells": [key.label() for key in sorted(run_found.cells)],
        "operators": sum(len(dump.operators) for dump in dumps),
        "slots": sum(len(dump.slots) for dump in dumps),
        "problems": list(dict.fromkeys(problem.sentence() for problem in problems)),
    }


def _facts_as_text(facts: dict[str, Any]) -> str:
    rows = [
        (text(f"cli.info.{name}"), ", ".join(map(str, value)) if isinstance(value, list) else f"{value}")
        for name, value in facts.items()
        if name not in ("problems", "cells") and value not in ("", [])
    ]
    return table(rows)


def _show_result(arguments: argparse.Namespace) -> int:
    info = load_info(arguments.path)
    if arguments.operator:
        return _show_pairs(arguments)
    cells: list[CellResult] = list(load_cells(arguments.path))
    facts = {
        "format": "result",
        "framework": _frameworks(cells),
        "evidence": _best_evidence(cells).name.lower(),
        "target": info.target_path,
        "golden": info.golden_path,
        "version": info.version,
        "created": info.created,
        "steps": sorted({key.step for key in info.cells}),
        "ranks": sorted({key.rank for key in info.cells}),
        "operators": sum(len(cell.target.operators) for cell in cells),
        "slots": sum(len(cell.rows) for cell in cells),
        "counts": counts_of(cells),
        "problems": [problem.sentence() for problem in info.problems],
    }
    if arguments.json:
        print_json(facts)
    else:
        facts["counts"] = [f"{name} {number}" for name, number in counts_of(cells).items()]
        print(_facts_as_text(facts))
    return Status.SAME


def _best_evidence(cells: list[CellResult]) -> Evidence:
    """Return the best evidence of any pair of tensors; arguments are always known in full."""
    best = 0
    for cell in cells:
        tensors = np.append(cell.target.slots.kind == SlotKind.TENSOR, False)[cell.rows.target_slot]
        best = max(best, int(cell.rows.evidence[tensors].max(initial=0)))
    return Evidence(best)


def _frameworks(cells: list[CellResult]) -> str:
    """Return the framework of both sides, or both where they differ: ``mindspore, pytorch``."""
    sides = [
        next((name for cell in cells if (name := getattr(cell, side).framework)), "")
        for side in ("target", "golden")
    ]
    return ", ".join(dict.fromkeys(name for name in sides if name))


def _show_pairs(arguments: argparse.Namespace) -> int:
    """Print both sides of each call of a result that *operator* names on either side."""
    found: list[dict[str, Any]] = []
    texts: list[str] = []
    for cell in load_cells(arguments.path):
        wanted = [set(_matching(dump, arguments.operator)) for dump in (cell.target, cell.golden)]
        for target, golden in _pairs_of(cell):
            if target not in wanted[0] and golden not in wanted[1]:
                continue
            sides = (
                ("target", cell.key, cell.target, target),
                ("golden", cell.golden_key, cell.golden, golden),
            )
            if arguments.json:
                found.append(
                    {
                        side: _operator_facts(key, dump, row) if row >= 0 else None
                        for side, key, dump, row in sides
                    }
                )
            else:
                texts += [
                    f"{text(f'cli.info.{side}')}: {_operator_as_text(key, dump, row)}"
                    for side, key, dump, row in sides
                    if row >= 0
                ]
    if not found and not texts:
        raise InputError(Problem("no_operator_matches", arguments.path, {"pattern": arguments.operator}))
    if arguments.json:
        print_json(found)
    else:
        print("\n\n".join(texts))
    return Status.SAME


def _pairs_of(cell: CellResult) -> list[tuple[int, int]]:
    """Return the operators of each call of *cell*, -1 where a side has none."""
    both = zip(cell.rows.target_operator.tolist(), cell.rows.golden_operator.tolist())
    return list(dict.fromkeys(both))


def _matching(dump: Dump, wanted: str) -> list[int]:
    """Return the operators that *wanted* names, exactly or else as a shell pattern."""
    names = [dump.strings[name] for name in dump.operators.name.tolist()]
    rows = [row for row, name in enumerate(names) if name == wanted]
    return rows or [row for row, name in enumerate(names) if fnmatch.fnmatchcase(name, wanted)]


def _show_operator(run_found: Run, dumps: list[tuple[CellKey, Dump]], arguments: argparse.Namespace) -> int:
    """Print stack and slots of each call that *operator* names, exactly or as a shell pattern."""
    found = []
    for key, dump in dumps:
        found += [(key, dump, row) for row in _matching(dump, arguments.operator)]
    if not found:
        raise InputError(Problem("no_operator_matches", run_found.path, {"pattern": arguments.operator}))
    if arguments.json:
        print_json([_operator_facts(*item) for item in found])
    else:
        print("\n\n".join(_operator_as_text(*item) for item in found))
    return Status.SAME


def _operator_facts(key: CellKey, dump: Dump, row: int) -> dict[str, Any]:
    frames = decode_stack(dump.stacks[int(dump.operators.stack[row])])
    parent = int(dump.operators.parent[row])
    return {
        "operator": dump.operator_name(row),
        "phase": key.phase,
        "step": key.step,
        "rank": key.rank,
        "parent": dump.strings[parent] if parent >= 0 else None,
        "slots": [
            {"slot": dump.slot_name(slot), **(record(dump, slot) or {})} for slot in dump.slots_of(row)
        ],
        "stack": [frame._asdict() for frame in frames],
    }


def _operator_as_text(key: CellKey, dump: Dump, row: int) -> str:
    slots = dump.slots
    lines: list[tuple[str, ...]] = [
        (text("cli.info.slot"), "dtype", text("cli.info.shape"), *STATISTICS, text("cli.info.value"))
    ]
    for slot in dump.slots_of(row):
        known = Known(int(slots.known[slot]))
        numbers = [
            f"{float(getattr(slots, name)[slot]):.8g}" if known & Known[name.upper()] else ""
            for name in STATISTICS
        ]
        shape = dump.shape(slot)
        kind = SlotKind(int(slots.kind[slot]))
        value = dump.strings[int(slots.value[slot])] or dump.strings[int(slots.checksum[slot])]
        lines.append(
            (
                dump.slot_name(slot),
                dump.dtype(slot) or dump.strings[int(slots.type[slot])],
                "×".join(map(str, shape)) if shape else "",
                *numbers,
                "None" if kind is SlotKind.NONE else value,
            )
        )
    frames = [
        f"  {escaped(frame.path)}:{frame.line} {escaped(frame.function)}\n      {escaped(frame.code)}"
        for frame in decode_stack(dump.stacks[int(dump.operators.stack[row])])
    ]
    head = f"{escaped(dump.operator_name(row))}  ({key.label()})"
    stack = "\n".join([text("cli.info.stack"), *frames]) if frames else text("cli.info.no_stack")
    return "\n".join([head, table(lines, right=(3, 4, 5, 6)), stack])
