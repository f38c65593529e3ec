"""What stands around the code: dev.py, constraints, bundled data, documents, desktop files."""

from __future__ import annotations

import configparser
import importlib
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from core.cli.main import COMMANDS

PROJECT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture
def tasks(monkeypatch: pytest.MonkeyPatch) -> dict[str, ModuleType]:
    monkeypatch.syspath_prepend(PROJECT / "packaging")
    return {name: importlib.import_module(f"tasks.{name}") for name in ("commands", "display", "environment")}


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False, timeout=60)


def test_dev_tells_an_old_python_in_one_line() -> None:
    code = "import sys; sys.version_info = (3, 9, 1); exec(compile(open('dev.py').read(), 'dev.py', 'exec'))"
    run = run_python("-c", code)
    assert run.returncode == 1
    assert run.stderr == "dev.py needs Python 3.11 or newer; this is Python 3.9.\n"


def test_dev_lists_its_commands() -> None:
    run = run_python("dev.py", "--help")
    assert run.returncode == 0
    for command in ("demo", "test", "lint", "messages", "campaign", "bench"):
        assert re.search(rf"^  {command} ", run.stdout, re.MULTILINE)
    assert run_python("dev.py", "no-such-command").returncode == 2


def test_dev_lists_campaigns() -> None:
    run = run_python("dev.py", "campaign", "--list")
    assert "fuzz" in run.stdout.split()
    assert "campaign" not in run.stdout.split()


@pytest.mark.parametrize(("body", "status"), [("return 'done'", 0), ("raise Failure('lost')", 1)])
def test_campaign_status_tells_failure(tmp_path: Path, body: str, status: int) -> None:
    script = tmp_path / "trial.py"
    script.write_text(
        f"from campaign import Failure, run\ndef trial(random):\n    {body}\nrun('trial', trial)\n",
        encoding="utf-8",
    )
    code = "import runpy, sys; sys.path.insert(0, 'tests/campaigns'); runpy.run_path(sys.argv.pop(1))"
    run = run_python("-c", code, str(script), "--seconds", "0.1", "--seed", "5")
    assert run.returncode == status, run.stdout + run.stderr
    line = run.stdout.splitlines()[-1]
    assert ("none failed (seed 5)" in line) == (status == 0)
    assert ("--seed 5 --trial 0" in line) == (status == 1)


def test_missing_libraries_are_named_with_their_packages(
    tasks: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch
) -> None:
    display = tasks["display"]
    monkeypatch.setattr(display, "_loads", lambda soname: soname not in ("libEGL.so.1", "libxcb-cursor.so.0"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    missing = display.missing_libraries()
    assert [library.soname for library in missing] == ["libEGL.so.1", "libxcb-cursor.so.0"]
    words = display.remedy(missing)
    assert "apt-get install libegl1 libxcb-cursor0" in words
    assert "dnf install libglvnd-egl xcb-util-cursor" in words
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    assert [library.soname for library in display.missing_libraries()] == ["libEGL.so.1"]


def test_environment_is_installed_once(
    tasks: dict[str, ModuleType], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment = tasks["environment"]
    calls: list[tuple[object, ...]] = []
    monkeypatch.setattr(environment, "STAMP", tmp_path / "stamp.json")
    monkeypatch.setattr(environment, "run", lambda *arguments: calls.append(arguments) or 0)
    monkeypatch.setattr(environment, "_starts", lambda: True)
    environment.prepare(["dev"])
    environment.prepare(["dev"])
    environment.prepare()
    assert len(calls) == 1
    assert str(calls[0][-1]).endswith("[dev]")
    environment.prepare(["integration"])
    environment.prepare(["dev"])
    assert len(calls) == 2
    assert str(calls[1][-1]).endswith("[dev,integration]")
    monkeypatch.setattr(environment, "_digest_of_inputs", lambda: "changed")
    environment.prepare()
    assert len(calls) == 3
    monkeypatch.setattr(environment, "run", lambda *_: 1)
    with pytest.raises(environment.Failed):
        environment.prepare(["emulation"])
    environment.STAMP.write_text("damaged", encoding="utf-8")
    assert environment._read_stamp()["extras"] == []


def test_constraints_pin_every_requirement(pyproject: dict[str, Any]) -> None:
    lines = (PROJECT / "packaging" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [Requirement(line) for line in lines if line and not line.startswith("#")]
    pinned = {canonicalize_name(pin.name): next(iter(pin.specifier)) for pin in pins}
    assert all(specifier.operator == "==" for specifier in pinned.values())
    assert len(pinned) == len(pins)
    project = pyproject["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(requirement for extra in extras.values() for requirement in extra)]
    for requirement in map(Requirement, wanted):
        pin = pinned[canonicalize_name(requirement.name)]
        if requirement.marker is None or requirement.marker.evaluate():
            assert requirement.specifier.contains(pin.version), f"{requirement} against {pin}"
    assert pinned["torch"].version == "2.13.0"
    assert pinned["mindstudio-probe"].version == "26.2.0"


@pytest.mark.parametrize(("folder", "megabytes"), [("resources/demo", 3), ("tests/data/msprobe", 5)])
def test_bundled_dumps_are_small_and_name_no_machine(folder: str, megabytes: int) -> None:
    files = [file for file in (PROJECT / folder).rglob("*") if file.is_file()]
    assert sum(file.stat().st_size for file in files) < megabytes * 1_000_000
    documents = [file for file in files if file.suffix == ".json"]
    paths = {
        path for file in documents for path in re.findall(r'"File ([^,"]+)', file.read_text(encoding="utf-8"))
    }
    assert paths
    neutral = ("/workspace/train/", "/opt/python/", "<")
    assert not {path for path in paths if not path.startswith(neutral)}


def test_documents_name_what_is_there() -> None:
    readme = (PROJECT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `ulpscope ([a-z]+)", readme, re.MULTILINE)) == set(COMMANDS)
    for command in ("python dev.py demo", "python dev.py test"):
        assert command in readme
    for document in ("README.md", "CONTRIBUTING.md", "docs/architecture.md", "tests/data/README.md"):
        content = (PROJECT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\(([^)#:]+)\)", content):
            assert (PROJECT / document).parent.joinpath(target).exists(), f"{document}: {target}"
        for path in re.findall(
            r"`((?:tests|packaging|resources|docs|benchmarks|core|gui)/[\w./-]+)`", content
        ):
            assert (PROJECT / path.removesuffix("/")).exists(), f"{document}: {path}"


def test_desktop_files_agree() -> None:
    folder = PROJECT / "packaging" / "linux"
    (entry,), (description,) = folder.glob("*.desktop"), folder.glob("*.metainfo.xml")
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(entry, encoding="utf-8")
    icon = parser["Desktop Entry"]["icon"]
    assert (PROJECT / "resources" / "icons" / f"{icon}.svg").is_file()
    root = ElementTree.parse(description).getroot()
    assert root.findtext("launchable") == entry.name
    assert f"{root.findtext('id')}.desktop" == entry.name
    ElementTree.parse(PROJECT / "resources" / "icons" / f"{icon}.svg")
