"""``ulpscope emulate``: does the arithmetic of a chip explain what the calls of a run gave?"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from fnmatch import fnmatchcase

from core.cli.console import drive, escaped, print_json, print_problems
from core.cli.numbers import whole_numbers
from core.cli.profiles import add_profile_arguments, profile_as_text, profile_of
from core.cli.status import Status
from core.compare.options import CompareOptions
from core.emulation.chips.profile import Profile, profile_names
from core.emulation.engine import EmulationOptions, emulate_result, emulate_runs, emulation_of
from core.emulation.standards import Variant
from core.emulation.telling import headline_of, remarks_of, sentence_of
from core.emulation.torch_backend import added_operators, torch_available
from core.errors import InputError, Problem
from core.messages import render, text
from core.records.emulation import CallEmulation, Emulation, EmulationVerdict, GoldenVerdict
from core.report.emulation_report import emulation_as_json, write_emulation_report
from core.report.files import check_output_file
from core.store.emulations import load_emulation
from core.store.notes import load_notes
from core.store.results import chosen_cells
from core.store.runs import is_result

_SUFFIXES = (".csv", ".json")
_SHOWN = 10
"""Calls outside that the terminal shows."""
_HARMLESS = ("nothing_to_compare", "composite_module")
"""Reasons that leave nothing unexamined: there is no output, or the calls inside are replayed themselves."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("run", nargs="?", default="", metavar="RUN", help=text("cli.help.emulate_run"))
    parser.add_argument(
        "golden", nargs="?", default="", metavar="GOLDEN", help=text("cli.help.emulate_golden")
    )
    add_profile_arguments(parser)
    parser.add_argument("--show-profile", action="store_true", help=text("cli.help.show_profile"))
    parser.add_argument("--operator", default="", metavar="PATTERN", help=text("cli.help.emulate_operator"))
    parser.add_argument("--thorough", action="store_true", help=text("cli.help.thorough"))
    parser.add_argument(
        "--standard", choices=[item.value for item in Variant], help=text("cli.help.emulate_standard")
    )
    parser.add_argument("--step", type=whole_numbers, default=(), metavar="N", help=text("cli.help.step"))
    parser.add_argument("--rank", type=whole_numbers, default=(), metavar="N", help=text("cli.help.rank"))
    parser.add_argument("--mapping", nargs="+", default=(), metavar="FILE", help=text("cli.help.mapping"))
    parser.add_argument("-o", "--output", metavar="OUT", help=text("cli.help.emulate_output"))
    parser.add_argument("--no-cache", action="store_true", help=text("cli.help.no_cache"))
    parser.add_argument("--json", action="store_true", help=text("cli.help.json"))


def run(arguments: argparse.Namespace) -> int:
    """Run the command and return its exit status."""
    profile = profile_of(arguments)
    if profile is None and arguments.run and is_result(arguments.run):
        return _kept(arguments)
    if profile is None:
        raise InputError(Problem("profile_needed", "--profile", {"known": ", ".join(profile_names())}))
    if arguments.show_profile and not arguments.run:
        if arguments.json:
            print_json(emulation_as_json(emulation_of(profile, ()))["profile"])
        else:
            print("\n".join(map(escaped, _shown_profile(profile))))
        return Status.SAME
    if not arguments.run:
        raise InputError(Problem("no_paths", "RUN"))
    if arguments.output is not None:
        inputs = (arguments.run, arguments.golden, *arguments.mapping)
        check_output_file(arguments.output, tuple(filter(None, inputs)), _SUFFIXES)
    emulation, problems = _emulated(arguments, profile)
    return _tell(arguments, emulation, problems)


def _kept(arguments: argparse.Namespace) -> int:
    """Tell what a result file holds already."""
    kept = load_emulation(arguments.run)
    if kept is None:
        raise InputError(Problem("profile_needed", "--profile", {"known": ", ".join(profile_names())}))
    return _tell(arguments, kept, ())


def _tell(arguments: argparse.Namespace, emulation: Emulation, problems: tuple[Problem, ...]) -> int:
    if arguments.json:
        print_json(emulation_as_json(emulation, problems))
    else:
        lines = as_lines(emulation, with_golden=bool(arguments.golden))
        if arguments.show_profile:
            lines += ["", *profile_as_text(emulation.parameters)]
        print("\n".join(map(escaped, lines)))
        print_problems(problems, quiet=arguments.quiet)
    if arguments.output is not None:
        write_emulation_report(arguments.output, emulation, problems)
        if not arguments.json:
            print(text("cli.written", path=arguments.output))
    return status_of(emulation)


def _emulated(arguments: argparse.Namespace, profile: Profile) -> tuple[Emulation, tuple[Problem, ...]]:
    pattern: str = arguments.operator

    def wanted(name: str) -> bool:
        return not pattern or fnmatchcase(name, pattern)

    variant = Variant(arguments.standard) if arguments.standard else None
    asked = EmulationOptions(profile, wanted, arguments.thorough, variant)
    if is_result(arguments.run):
        if arguments.golden:
            raise InputError(Problem("finished_analysis", arguments.run))
        cells = chosen_cells(arguments.run, arguments.step, arguments.rank)
        work = emulate_result(arguments.run, asked, cells)
    else:
        options = CompareOptions(
            steps=arguments.step,
            ranks=arguments.rank,
            mapping=tuple(arguments.mapping),
            pairs=load_notes(arguments.run, arguments.golden).pairs if arguments.golden else {},
            use_cache=not arguments.no_cache,
        )
        work = emulate_runs(arguments.run, arguments.golden, asked, options)
    emulation, problems = drive(work, quiet=arguments.quiet)
    if pattern and not emulation.calls:
        raise InputError(Problem("no_such_operator", arguments.run, {"operator": pattern}))
    return emulation, problems


def status_of(emulation: Emulation) -> Status:
    """Return 1 if a call is not explained, a golden is wrong, or something was not replayed."""
    counts = emulation.counts
    if len(emulation.calls) == counts["not_replayed"]:
        return Status.TROUBLE
    unseen = any(reason not in _HARMLESS for reason in emulation.not_replayed)
    golden = any(call.golden is GoldenVerdict.WRONG for call in emulation.calls)
    return Status.DIFFERENT if counts["outside"] or unseen or golden else Status.SAME


def as_lines(emulation: Emulation, *, with_golden: bool = False) -> list[str]:
    """Return the answer for a terminal: headline, calls outside, counts, remarks, and what is assumed."""
    lines = [render(headline_of(emulation))]
    outside = [call for call in emulation.calls if call.verdict is EmulationVerdict.OUTSIDE]
    for call in outside[:_SHOWN]:
        lines += _call(call, emulation.title)
    if len(outside) > _SHOWN:
        lines.append(f"  {text('cli.emulate.more', count=len(outside) - _SHOWN)}")
    lines += ["", *_counts(emulation)]
    lines += [*_raised(emulation), *_standards(emulation)]
    lines += [render(message) for message in remarks_of(emulation)]
    if with_golden and not any(call.golden_operator for call in emulation.calls):
        lines.append(text("cli.emulate.no_partner"))
    lines += ["", text("emulation.honest")]
    if "unsupported_operator" in emulation.not_replayed and not torch_available():
        lines.append(text("emulation.torch_missing", count=len(added_operators())))
    return lines


def _call(call: CallEmulation, title: str) -> Iterator[str]:
    yield f"  {call.cell.label()}: {render(sentence_of(call, title))}"
    if call.golden is GoldenVerdict.WRONG:
        yield f"    {text('emulation.call.golden_wrong', operator=call.golden_operator or '')}"


def _standards(emulation: Emulation) -> Iterator[str]:
    """Yield how many outputs pass the official checker's standards, where they were applied."""
    slots = [(call, slot) for call in emulation.calls for slot in call.slots]
    judged = [(call, slot.standard) for call, slot in slots if slot.standard is not None]
    if not judged:
        return
    passed, failed, unsure = (
        sum(said.passed is answer for _, said in judged) for answer in (True, False, None)
    )
    variant = text(f"emulation.variant.{judged[0][1].variant}")
    yield text("cli.emulate.standards", variant=variant, passed=passed, failed=failed, unsure=unsure)
    for call, said in [item for item in judged if item[1].passed is False][:_SHOWN]:
        reasons = " ".join(render(reason) for reason in said.reasons)
        yield f"  {call.operator} ({text(f'emulation.standard.{said.standard}')}): {reasons}"


def _raised(emulation: Emulation) -> list[str]:
    """Return which units of the chip would overflow, and in which calls first: values may not show it."""
    calls: dict[str, list[str]] = {}
    for call in emulation.calls:
        for name in {name for slot in call.slots for name in slot.status}:
            calls.setdefault(name, []).append(call.operator)
    lines = []
    for name, operators in calls.items():
        unit = text(f"emulation.status.{name}")
        lines.append(
            f"  {text('cli.emulate.raised', unit=unit, count=len(operators), operator=operators[0])}"
        )
    return [text("cli.emulate.status"), *lines] if lines else []


def _counts(emulation: Emulation) -> Iterator[str]:
    replayed = len(emulation.calls) - emulation.counts["not_replayed"]
    for verdict, count in emulation.counts.items():
        share = f" ({count / replayed:.1%})" if replayed else ""
        if verdict == EmulationVerdict.NOT_REPLAYED:
            named = (
                f"{text(f'emulation.reason.{reason}')} {number}"
                for reason, number in emulation.not_replayed.items()
            )
            share = f" ({', '.join(named)})" if count else ""
        yield f"  {text(f'emulation.verdict.{verdict}')}: {count}{share}"


def _shown_profile(profile: Profile) -> Iterator[str]:
    shown = emulation_of(profile, ())
    yield f"{shown.title} ({shown.profile})"
    yield from profile_as_text(shown.parameters)
    yield text("emulation.honest")
