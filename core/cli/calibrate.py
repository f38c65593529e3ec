"""``ulpscope calibrate``: probes for a real chip, and the profile that fits what came back."""

from __future__ import annotations

import argparse
from pathlib import Path

from core.cli.console import drive, escaped, print_json, table
from core.cli.status import Status
from core.emulation.calibration.fitting import fit
from core.emulation.calibration.kit import SCRIPT, read_kit, write_kit
from core.emulation.calibration.reading import Measured, read_results
from core.emulation.calibration.writing import profile_of_calibration
from core.emulation.chips.profile import Profile, find_profile, profile_names, shipped_profile
from core.errors import InputError
from core.messages import text
from core.report.calibration_report import calibration_as_json, calibration_as_lines, calibration_as_rows
from core.report.files import check_output
from core.store.places import finished_file

_USUAL = "910B"
"""The profile that is completed where the device is no chip of a shipped one."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's tasks and their arguments."""
    tasks = parser.add_subparsers(
        dest="task", required=True, metavar="TASK", title=text("cli.help.calibrate_tasks")
    )
    said = text("cli.help.calibrate_probes")
    probes = tasks.add_parser("probes", help=said, description=said)
    probes.add_argument("folder", metavar="DIR", help=text("cli.help.calibrate_new_folder"))
    said = text("cli.help.calibrate_fit")
    fitting = tasks.add_parser("fit", help=said, description=said)
    fitting.add_argument("folder", metavar="DIR", help=text("cli.help.calibrate_folder"))
    fitting.add_argument("--based-on", choices=profile_names(), help=text("cli.help.calibrate_based_on"))
    fitting.add_argument("-o", "--output", metavar="FILE.toml", help=text("cli.help.calibrate_output"))
    for task in (probes, fitting):
        task.add_argument("--json", action="store_true", help=text("cli.help.json"))
        # Also before the task, where the command itself takes it.
        task.add_argument(
            "--quiet", action="store_true", default=argparse.SUPPRESS, help=text("cli.help.quiet")
        )


def run(arguments: argparse.Namespace) -> int:
    """Run the task and return its exit status."""
    return _probes(arguments) if arguments.task == "probes" else _fit(arguments)


def _probes(arguments: argparse.Namespace) -> Status:
    folder: str = arguments.folder
    made = write_kit(folder)
    script = Path(folder) / SCRIPT
    if arguments.json:
        print_json({"folder": folder, "probes": len(made), "script": str(script)})
    else:
        print(escaped(text("calibration.written", count=len(made), folder=folder)))
        print(escaped(f"  python {script} --device npu"))
        print(escaped(f"  ulpscope calibrate fit {folder} -o mine.toml"))
    return Status.SAME


def _fit(arguments: argparse.Namespace) -> Status:
    if arguments.output is not None:
        check_output(arguments.output, (), (".toml",))
    probes, digest = read_kit(arguments.folder)
    measured = read_results(arguments.folder, probes, digest)
    base = shipped_profile(arguments.based_on) if arguments.based_on else _base_of(measured)
    calibration = drive(fit(probes, measured.results, base), quiet=arguments.quiet)
    if arguments.json:
        print_json(calibration_as_json(calibration, measured, base))
    else:
        print(escaped(_headline(measured, base, len(probes))))
        print(table(calibration_as_rows(calibration)))
        for line in calibration_as_lines(calibration, measured):
            print(escaped(line))
    if arguments.output is not None:
        with finished_file(Path(arguments.output)) as place:
            place.write_text(profile_of_calibration(calibration, measured, base), encoding="utf-8")
        if not arguments.json:
            print(escaped(text("cli.written", path=arguments.output)))
    return Status.SAME if calibration.complete else Status.DIFFERENT


def _base_of(measured: Measured) -> Profile:
    """Return the shipped profile that names the device as one of its chips."""
    try:
        return shipped_profile(find_profile(measured.device).name)
    except (InputError, OSError):
        return shipped_profile(_USUAL)


def _headline(measured: Measured, base: Profile, asked: int) -> str:
    versions = f"torch {measured.torch or '?'}"
    if measured.torch_npu:
        versions += f", torch_npu {measured.torch_npu}"
    return text(
        "calibration.headline",
        device=measured.device,
        versions=versions,
        came=len(measured.results),
        asked=asked,
        base=base.name,
    )
