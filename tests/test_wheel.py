"""What users install: the wheel in a fresh environment, and the server's minimum of packages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[1]
ON_A_SERVER = ("numpy", "h5py", "msgspec", "platformdirs")
"""All that ``ulpscope compare`` may need besides Python."""

ONLY_THESE = """
import sys

class OnlyThese:
    allowed = {allowed!r} | sys.stdlib_module_names

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self.allowed:
            raise ModuleNotFoundError(f"{{name}} is not installed on this server", name=name)
        return None

sys.meta_path.insert(0, OnlyThese())
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel with what the development environment has, without asking a registry."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(folder),
        str(PROJECT),
    ]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the programs' folder of a fresh environment that holds the wheel.

    What the wheel depends on is lent by the development environment through a ``.pth`` file; a ``.pth`` in
    a folder so lent is not read, so the project's own editable installation stays out.
    """
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder, with_pip=False)
    windows = os.name == "nt"
    programs = folder / ("Scripts" if windows else "bin")
    python = programs / ("python.exe" if windows else "python")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--no-deps",
        "--no-index",
        "--quiet",
    ]
    subprocess.run([*pip, str(wheel)], check=True, timeout=120)
    own = sysconfig.get_path("purelib", vars={"base": str(folder), "platbase": str(folder)})
    (Path(own) / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return programs


def run_program(programs: Path, name: str, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [str(programs / name), *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


def test_wheel_holds_all_it_needs_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"core", "gui", "resources"}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    for folder in ("demo", "icons", "messages", "probes", "tables"):
        files = {
            file.relative_to(PROJECT).as_posix()
            for file in (PROJECT / "resources" / folder).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts
        }
        assert files
        assert files <= names
    assert not [name for name in names if "__pycache__" in name]


def test_installed_program_says_its_version(installed: Path, tmp_path: Path) -> None:
    run = run_program(installed, "ulpscope", "--version", folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["ulpscope", "0.1.0"]
    where = run_program(installed, "python", "-c", "import core; print(core.__file__)", folder=tmp_path)
    assert Path(where.stdout.strip()).is_relative_to(installed.parent), where.stdout + where.stderr


def test_installed_program_compares_the_demo_pair(installed: Path, tmp_path: Path) -> None:
    find = "from importlib.resources import files; print(files('resources') / 'demo')"
    demo = Path(run_program(installed, "python", "-c", find, folder=tmp_path).stdout.strip())
    assert demo.is_relative_to(installed.parent)
    run = run_program(
        installed,
        "ulpscope",
        "compare",
        str(demo / "target"),
        str(demo / "golden"),
        "--json",
        folder=tmp_path,
    )
    assert run.returncode == 1, run.stderr
    check_demo(json.loads(run.stdout))


def test_installed_program_shows_the_demo_in_a_terminal(installed: Path, tmp_path: Path) -> None:
    run = run_program(installed, "ulpscope", "demo", "--text", folder=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "Functional.gelu.1.forward" in run.stdout


def test_compare_needs_four_packages_only(demo_pair: tuple[Path, Path], tmp_path: Path) -> None:
    own = {"core", "resources", *ON_A_SERVER}
    # Every Python that starts with this folder on its path reads it, so the workers are bound by it too.
    server = tmp_path / "server"
    server.mkdir()
    (server / "sitecustomize.py").write_text(ONLY_THESE.format(allowed=own), encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(server), str(PROJECT)))}

    def python(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False, timeout=120
        )

    for name in ("PySide6", "torch", "pandas", "rich", "pyqtgraph", "superqt", "xlsxwriter", "gui"):
        refused = python("-c", f"import {name}")
        assert refused.returncode == 1, name
        assert "not installed on this server" in refused.stderr

    target, golden = map(str, demo_pair)
    for output in ("result.csv", "result.json", "result.h5"):
        run = python("-m", "core.cli.main", "compare", target, golden, "--json", "-o", output)
        assert run.returncode == 1, run.stderr
        check_demo(json.loads(run.stdout))
        assert (tmp_path / output).stat().st_size > 10_000
    for command in (["info", target], ["info", "result.h5"], ["pack", target, "-o", "packed.h5"]):
        run = python("-m", "core.cli.main", *command)
        assert run.returncode == 0, run.stderr


def check_demo(result: dict[str, list[dict[str, object]]]) -> None:
    """See that the comparison of the demo pair finds what is broken in it."""
    differing = [row for row in result["rows"] if row["verdict"] == "differs" and row["step"] == 0]
    first = differing[0]
    assert first["operator"] == first["golden_operator"] == "Functional.gelu.1.forward"
    assert str(first["slot"]).startswith("output")
    assert first["evidence"] == "full"
