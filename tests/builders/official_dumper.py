"""Run the official dumper on the small training script, and keep this machine out of what it writes.

The script runs in a process of its own, since the dumper hooks torch for good, and from a temporary
folder. Stack traces name neutral paths afterwards: ``/workspace/train`` for the script's folder and
``/opt/python`` for the Python installation; a folder named after the process is renamed.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("tiny_training.py")
RANKS_SCRIPT = Path(__file__).with_name("ranks_training.py")
TRAINING_FOLDER = "/workspace/train"
SITE_PACKAGES = "/opt/python/site-packages"
STANDARD_LIBRARY = "/opt/python/lib"
PROCESS = "proc1000"


def dumper_version() -> str | None:
    """Return the version of mindstudio-probe, ``None`` where it or torch is not installed."""
    if importlib.util.find_spec("torch") is None or importlib.util.find_spec("msprobe") is None:
        return None
    return importlib.metadata.version("mindstudio-probe")


def settings(task: str, level: str, **task_settings: Any) -> dict[str, Any]:
    """Return a ``config.json`` for *task* at *level*; *task_settings* go into the task's own section."""
    return {
        "task": task,
        "dump_path": "dump",
        "rank": [],
        "step": [],
        "level": level,
        "async_dump": False,
        "extra_info": True,
        task: {"scope": [], "list": [], "data_mode": ["all"], **task_settings},
    }


def dump(
    destination: Path, variants: Sequence[str], config: Mapping[str, Any], options: Sequence[str] = ()
) -> Path:
    """Train one variant a rank under the dumper set up by *config*; the dump replaces *destination*.

    *variants* and *options* (further arguments) are those of ``tiny_training.py``.

    Raises
    ------
    RuntimeError
        If the training or the dumper fails; the text is what they printed.
    """
    runs = [["--variant", variant, "--rank", str(rank), *options] for rank, variant in enumerate(variants)]
    return _dump(destination, SCRIPT, config, runs)


def dump_ranks(destination: Path, variant: str, config: Mapping[str, Any]) -> Path:
    """Train the four ranks of ``ranks_training.py`` under the dumper; see :func:`dump`."""
    return _dump(destination, RANKS_SCRIPT, config, [["--variant", variant]])


def _dump(destination: Path, script: Path, config: Mapping[str, Any], runs: Sequence[Sequence[str]]) -> Path:
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder).resolve()
        shutil.copyfile(script, place / "train.py")
        (place / "config.json").write_text(json.dumps(config), encoding="utf-8")
        for options in runs:
            _train(place, options)
        made = place / "dump"
        for file in made.rglob("*.json"):
            file.write_text(_neutral(file.read_text(encoding="utf-8"), place), encoding="utf-8")
        for cell in [*made.glob("step*/proc*")]:
            cell.rename(cell.with_name(PROCESS))
        shutil.rmtree(destination, ignore_errors=True)
        destination.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, destination)
    return destination


def official_overflow_check(step: Path, destination: Path) -> None:
    """Let the official overflow analyser look at the ranks in *step*, and keep its answer.

    Raises
    ------
    RuntimeError
        If it gives none; the text is what it printed.
    """
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "msprobe.msprobe", "overflow_check", "-i", str(step), "-o", folder]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        answers = [*Path(folder).glob("anomaly_analyze_*.json")]
        if not answers:
            raise RuntimeError(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")
        shutil.copyfile(answers[0], destination)


def _train(place: Path, options: Sequence[str]) -> None:
    command = [sys.executable, "train.py", "--config", "config.json", "--output", "dump", *options]
    run = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if run.returncode or not any((place / "dump").rglob("*.json")):
        raise RuntimeError(f"{' '.join(command)} failed:\n{run.stdout}{run.stderr}")


def _neutral(text: str, place: Path) -> str:
    paths = sysconfig.get_paths()
    for real, neutral in (
        (str(place), TRAINING_FOLDER),
        (paths["purelib"], SITE_PACKAGES),
        (paths["platlib"], SITE_PACKAGES),
        (paths["stdlib"], STANDARD_LIBRARY),
    ):
        text = text.replace(real, neutral)
    return re.sub(r"\bproc\d+\b", PROCESS, text)
