"""The virtual environment that everything runs in: made once, brought up to date when its inputs change."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import time
import venv
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

PROJECT = Path(__file__).resolve().parents[2]
CONSTRAINTS = PROJECT / "packaging" / "constraints.txt"
FOLDER = Path(os.environ.get("ULPSCOPE_VENV", PROJECT / ".venv"))
STAMP = FOLDER / "ulpscope-installed.json"


class Failed(Exception):
    """A step failed; the text says which, in one line."""


def say(text: str) -> None:
    """Print *text* at once, in order with what child processes print."""
    print(text, flush=True)


@contextmanager
def timed(what: str) -> Iterator[None]:
    """Say *what* is being done, and how long it took."""
    say(f"-- {what} ...")
    start = time.monotonic()
    try:
        yield
    finally:
        say(f"-- {what}: {time.monotonic() - start:.1f} s")


def program(name: str) -> Path:
    """Return the path of a program of the environment, such as ``python`` or ``pytest``."""
    return FOLDER / "Scripts" / f"{name}.exe" if os.name == "nt" else FOLDER / "bin" / name


def run(name: str, *arguments: str | Path, environment: dict[str, str] | None = None) -> int:
    """Run a program of the environment in the project folder; return its exit status.

    It finds the environment's other programs on its path.
    """
    command = [program(name), *arguments]
    path = os.pathsep.join((str(program(name).parent), os.environ.get("PATH", "")))
    whole = {**os.environ, "PATH": path, **(environment or {})}
    return subprocess.run(command, cwd=PROJECT, env=whole, check=False).returncode


def prepare(extras: Iterable[str] = ()) -> None:
    """Make sure that the environment holds the project with *extras*, as the constraints pin them.

    What was installed before stays; nothing is done when neither ``pyproject.toml`` nor the constraints
    changed since.

    Raises
    ------
    Failed
        If the environment cannot be made or pip fails.
    """
    made = _read_stamp()
    extras = sorted({*extras, *made["extras"]})
    stamp = _Stamp(project=str(PROJECT), inputs=_digest_of_inputs(), extras=extras)
    usable = _starts() and made["project"] in ("", stamp["project"])
    if usable and stamp == made:
        return
    if not usable:
        with timed(f"making {FOLDER}"):
            _make()
    named = f"[{','.join(extras)}]" if extras else ""
    with timed(f"installing ulpscope{named}"):
        pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        if run("python", *pip, "--constraint", CONSTRAINTS, "--editable", f"{PROJECT}{named}"):
            raise Failed("pip could not install the project; its message stands above")
    STAMP.write_text(json.dumps(stamp), encoding="utf-8")


def _digest_of_inputs() -> str:
    digest = hashlib.sha256()
    for file in (PROJECT / "pyproject.toml", CONSTRAINTS):
        digest.update(file.read_bytes())
    return digest.hexdigest()


class _Stamp(TypedDict):
    project: str
    inputs: str
    extras: list[str]


def _read_stamp() -> _Stamp:
    """Return what was installed last; empty where that is not known."""
    try:
        found = json.loads(STAMP.read_text(encoding="utf-8"))
        extras = [str(extra) for extra in found["extras"]]
        return _Stamp(project=str(found["project"]), inputs=str(found["inputs"]), extras=extras)
    except (OSError, ValueError, KeyError, TypeError):
        return _Stamp(project="", inputs="", extras=[])


def _starts() -> bool:
    """Tell whether the environment's Python runs and is new enough."""
    check = "import sys; sys.exit(sys.version_info < (3, 11))"
    try:
        return (
            subprocess.run([program("python"), "-c", check], capture_output=True, check=False).returncode == 0
        )
    except OSError:
        return False


def _make() -> None:
    try:
        venv.EnvBuilder(with_pip=True, clear=True, symlinks=os.name != "nt").create(FOLDER)
    except (OSError, subprocess.CalledProcessError) as error:
        hint = "; on Debian and Ubuntu install python3-venv" if sys.platform == "linux" else ""
        raise Failed(f"{FOLDER} could not be made ({error}){hint}") from error
