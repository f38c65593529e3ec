"""The layers hold, files stay small and well named, and starting up imports nothing heavy."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
HEAVY = {"torch", "pandas", "h5py", "xlsxwriter", "scipy", "matplotlib"}
QT = {"PySide6", "shiboken6", "pyqtgraph", "superqt", "qtpy"}
VAGUE = {"util", "utils", "helper", "helpers", "common", "misc", "tools", "stuff"}
MOST_LINES = 500


def modules() -> list[Path]:
    found = sorted(file for folder in ("core", "gui") for file in (PROJECT / folder).rglob("*.py"))
    assert len(found) > 20
    return found


def python(code: str, *arguments: str, folder: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def contracts(folder: Path, cache: Path) -> tuple[int, int, str]:
    """Check the import contracts of the project in *folder*; return how many are kept and broken."""
    code = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    run = python(code, str(PROJECT / "pyproject.toml"), "--cache-dir", str(cache), folder=folder)
    counts = re.search(r"Contracts: (\d+) kept, (\d+) broken", run.stdout)
    assert counts, run.stdout + run.stderr
    assert (run.returncode == 0) == (counts[2] == "0"), run.stdout
    return int(counts[1]), int(counts[2]), run.stdout


def test_import_contracts_are_kept(tmp_path: Path) -> None:
    kept, broken, output = contracts(PROJECT, tmp_path)
    assert not broken, output
    assert kept >= 5


@pytest.mark.parametrize(
    ("module", "statement", "contract"),
    [
        ("core/metrics/planted.py", "import PySide6.QtCore", "core is free of Qt"),
        ("core/report/planted.py", "import h5py", "only the store opens HDF5"),
        ("core/formats/planted.py", "import core.compare", "each layer imports only what stands before it"),
        ("core/records/planted.py", "import gui.theme", "core never on gui"),
    ],
)
def test_import_contracts_find_a_planted_breach(
    tmp_path: Path, module: str, statement: str, contract: str
) -> None:
    for package in ("core", "gui", "resources"):
        only_python = shutil.ignore_patterns("__pycache__", "demo", "*.svg", "*.po", "*.mo")
        shutil.copytree(PROJECT / package, tmp_path / package, ignore=only_python)
    (tmp_path / module).write_text(statement + "\n", encoding="utf-8")
    _, broken, output = contracts(tmp_path, tmp_path / "cache")
    assert broken
    assert re.search(rf"{contract} BROKEN", output), output


def test_no_file_is_long() -> None:
    lines = {file: len(file.read_text(encoding="utf-8").splitlines()) for file in modules()}
    long = {str(file.relative_to(PROJECT)): count for file, count in lines.items() if count > MOST_LINES}
    assert not long


def test_no_module_name_says_nothing() -> None:
    vague = [str(file) for file in modules() if VAGUE & {file.stem, *file.relative_to(PROJECT).parts[:-1]}]
    assert not vague


def imported(code: str) -> set[str]:
    """Return the top-level packages that a fresh Python has imported after *code*."""
    run = python(f"{code}\nimport sys\nprint(*sorted({{name.split('.')[0] for name in sys.modules}}))")
    assert run.returncode == 0, run.stderr
    packages = set(run.stdout.splitlines()[-1].split())
    assert "core" in packages
    return packages


@pytest.mark.parametrize(
    ("words", "allowed"),
    [("['--help']", set()), ("['--version']", set()), ("['compare', '--help']", {"h5py"})],
)
def test_command_line_starts_light(words: str, allowed: set[str]) -> None:
    run = f"try:\n    main({words})\nexcept SystemExit as end:\n    assert not end.code"
    code = f"from core.cli.main import main\n{run}"
    assert not imported(code) & (HEAVY | QT) - allowed


def test_window_starts_light() -> None:
    found = imported("import gui.application")
    assert "PySide6" in found
    assert not found & HEAVY
