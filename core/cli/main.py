"""``ulpscope``: a word for a command line task, or paths for the window."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from multiprocessing import freeze_support
from pathlib import Path

import core
from core.cli.status import Status
from core.errors import Cancelled, InputError
from core.messages import LANGUAGES, set_language, text

COMMANDS = (
    "info",
    "precheck",
    "dataset",
    "compare",
    "diagnose",
    "rounds",
    "overflow",
    "emulate",
    "calibrate",
    "tensors",
    "curves",
    "pack",
    "thresholds",
    "demo",
)
"""Commands; each is the module of that name in this package, with ``add_arguments`` and ``run``."""

_MSPROBE_OPTIONS = ("-tp", "--target_path", "-gp", "--golden_path")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status: 0 nothing differs, 1 something does, 2 trouble."""
    freeze_support()
    words = _language_first(list(sys.argv[1:] if arguments is None else arguments))
    if any(word in _MSPROBE_OPTIONS for word in words) and words[0] not in COMMANDS:
        words.insert(0, "compare")  # as msprobe users type it
    _make_output_safe()
    if words and words[0] in COMMANDS:
        return _run_command(words[0], words[1:])
    if words and not words[0].startswith("-") and not _may_be_path(words[0]):
        print(
            f"ulpscope: {text('cli.unknown_command', word=words[0], commands=', '.join(COMMANDS))}",
            file=sys.stderr,
        )
        return Status.TROUBLE
    window = _window_parser().parse_args(words)
    from core.cli.window import open_window

    return open_window([path for path in (window.target, window.golden) if path])


def _language_first(words: list[str]) -> list[str]:
    """Take ``--language`` out of *words*, wherever it stands, and choose it: help is to speak it too."""
    kept = list(words)
    for index, word in enumerate(words):
        name, _, value = word.partition("=")
        if name == "--language":
            value = value or (words[index + 1] if index + 1 < len(words) else "")
            if value in LANGUAGES:
                set_language(value)
                del kept[index : index + (1 if "=" in word else 2)]
            break
    return kept


def _may_be_path(word: str) -> bool:
    return Path(word).exists() or any(sign in word for sign in ("/", "\\", ".", "~"))


def _run_command(name: str, words: Sequence[str]) -> int:
    module = importlib.import_module(f"core.cli.{name}")  # only this one: starting should cost little
    parser = argparse.ArgumentParser(
        prog=f"ulpscope {name}", description=text(f"cli.help.{name}"), epilog=text("cli.epilog")
    )
    module.add_arguments(parser)
    parser.add_argument("--quiet", action="store_true", help=text("cli.help.quiet"))
    _add_language(parser)
    chosen = parser.parse_args(words)
    try:
        return int(module.run(chosen))
    except InputError as error:
        print(f"ulpscope: {error.problem.sentence()}", file=sys.stderr)
    except (Cancelled, KeyboardInterrupt):
        print(f"ulpscope: {text('cli.cancelled')}", file=sys.stderr)
    except BrokenPipeError:  # `ulpscope info ... | head`
        sys.stderr.close()
    except OSError as error:  # the output cannot be written: a full disk, a read-only folder
        words_of_it = text(
            "cli.cannot_write", path=str(error.filename or ""), why=error.strerror or str(error)
        )
        print(f"ulpscope: {words_of_it}", file=sys.stderr)
    return Status.TROUBLE


def _window_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ulpscope",
        description=text("cli.description"),
        epilog=text("cli.commands")
        + "\n"
        + "\n".join(f"  {name:10} {text(f'cli.help.{name}')}" for name in COMMANDS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"ulpscope {core.__version__}")
    parser.add_argument("target", nargs="?", default="", help=text("cli.help.window_target"))
    parser.add_argument("golden", nargs="?", default="", help=text("cli.help.window_golden"))
    _add_language(parser)
    return parser


def _add_language(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--language", choices=LANGUAGES, help=text("cli.help.language"))


def _make_output_safe() -> None:
    """Names in a dump may hold anything; a terminal that cannot show them gets escapes, not a crash."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
