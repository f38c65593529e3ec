"""The commands of ``dev.py``."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from tasks.display import has_display, missing_libraries, remedy
from tasks.environment import PROJECT, Failed, prepare, run, say, timed

CAMPAIGNS = PROJECT / "tests" / "campaigns"
BENCHMARKS = PROJECT / "benchmarks"


def demo(arguments: Sequence[str]) -> int:
    """Show the bundled pair in the window, or in the terminal where no window can be shown."""
    argparse.ArgumentParser(prog="dev.py demo", description=demo.__doc__).parse_args(arguments)
    prepare()
    missing = missing_libraries()
    if has_display() and not missing:
        return run("ulpscope", "demo")
    if missing:
        say(remedy(missing))
    if not has_display():
        say("There is no display here (neither DISPLAY nor WAYLAND_DISPLAY is set).")
    say("The demo pair, compared in the terminal:")
    return run("ulpscope", "demo", "--text")


def test(arguments: Sequence[str]) -> int:
    """Run the tests; what is not an option of this command goes to pytest."""
    parser = argparse.ArgumentParser(prog="dev.py test", description=test.__doc__)
    parser.add_argument(
        "--integration", action="store_true", help="also install torch and the official dumper, and run it"
    )
    parser.add_argument(
        "--display", action="store_true", help="show the windows instead of drawing offscreen"
    )
    options, for_pytest = parser.parse_known_args(arguments)
    prepare(["dev", "integration"] if options.integration else ["dev"])
    # One BLAS thread, as the program sets it: pytest loads numpy before that, and two workers with two
    # threads each run several times slower.
    environment = {"QT_API": "pyside6", "PYQTGRAPH_QT_LIB": "PySide6", "OPENBLAS_NUM_THREADS": "1"}
    if not options.display:
        environment["QT_QPA_PLATFORM"] = "offscreen"
    whole = [] if for_pytest or (os.cpu_count() or 1) < 2 else ["-n", "2"]
    with timed("tests"):
        return run("pytest", *whole, *for_pytest, environment=environment)


def lint(arguments: Sequence[str]) -> int:
    """Check style, formatting, types and the layers."""
    argparse.ArgumentParser(prog="dev.py lint", description=lint.__doc__).parse_args(arguments)
    prepare(["dev"])
    checks = (
        ("ruff", "check"),
        ("ruff", "format", "--check"),
        ("mypy",),
        ("lint-imports", "--no-logo"),
    )
    failed = []
    for check in checks:
        with timed(" ".join(check)):
            if run(*check):
                failed.append(" ".join(check))
    say(f"lint: {', '.join(failed)} failed" if failed else "lint: all clean")
    return 1 if failed else 0


def messages(arguments: Sequence[str]) -> int:
    """Compile the message catalogues of all languages."""
    argparse.ArgumentParser(prog="dev.py messages", description=messages.__doc__).parse_args(arguments)
    prepare(["dev"])
    return run("python", PROJECT / "packaging" / "compile_messages.py")


def campaign(arguments: Sequence[str]) -> int:
    """Run a campaign: random trials until the time is up; what is no option of this command goes to it."""
    parser = argparse.ArgumentParser(prog="dev.py campaign", description=campaign.__doc__)
    names = _scripts(CAMPAIGNS)
    parser.add_argument("name", choices=names, nargs="?", help=f"one of {', '.join(names)}")
    parser.add_argument("--list", action="store_true", help="print the names and stop")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, help="repeat a campaign that printed this seed")
    parser.add_argument(
        "--integration", action="store_true", help="also install the official dumper, which draws needs"
    )
    options, for_campaign = parser.parse_known_args(arguments)
    if options.list:
        say("\n".join(names))
        return 0
    if options.name is None:
        parser.error(f"name one of {', '.join(names)}")
    prepare(["dev", "integration"] if options.integration else ["dev"])
    seed = [] if options.seed is None else ["--seed", str(options.seed)]
    script = CAMPAIGNS / f"{options.name}.py"
    return run("python", script, "--seconds", str(options.seconds), *seed, *for_campaign)


def bench(arguments: Sequence[str]) -> int:
    """Run a benchmark; what follows its name goes to it."""
    names = _scripts(BENCHMARKS)
    parser = argparse.ArgumentParser(prog="dev.py bench", description=bench.__doc__)
    parser.add_argument(
        "--integration", action="store_true", help="also install the official tool, to measure beside it"
    )
    parser.add_argument("name", choices=names, help=f"one of {', '.join(names)}")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="arguments of the benchmark")
    options = parser.parse_args(arguments)
    prepare(["dev", "integration"] if options.integration else ["dev"])
    return run("python", BENCHMARKS / f"{options.name}.py", *options.rest)


def _scripts(folder: Path) -> list[str]:
    """Return the programs in *folder*: modules with a main part, by name."""
    main_part = '\nif __name__ == "__main__":\n'
    return sorted(file.stem for file in folder.glob("*.py") if main_part in file.read_text(encoding="utf-8"))


COMMANDS = {
    "demo": demo,
    "test": test,
    "lint": lint,
    "messages": messages,
    "campaign": campaign,
    "bench": bench,
}


def main(arguments: Sequence[str]) -> int:
    """Run one command; return its exit status."""
    if not arguments or arguments[0] not in COMMANDS:
        say("python dev.py COMMAND [OPTIONS]\n")
        for name, command in COMMANDS.items():
            say(f"  {name:<10}{(command.__doc__ or '').splitlines()[0]}")
        return 0 if arguments and arguments[0] in ("-h", "--help") else 2
    try:
        return COMMANDS[arguments[0]](arguments[1:])
    except Failed as failure:
        say(f"dev.py: {failure}")
        return 1
    except KeyboardInterrupt:
        return 130
