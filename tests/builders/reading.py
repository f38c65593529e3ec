"""Short ways to read one dump in a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.formats.registry import find_run, read_cell
from core.progress import run_to_end
from core.records.dump import Dump


def read_only_cell(path: Path) -> Dump:
    """Read the one cell of the run at *path*."""
    (source,) = find_run(path).cells.values()
    return run_to_end(read_cell(source))


def write_dump(folder: Path, data: Any, *, indent: int | None = 1, **header: Any) -> Path:
    """Write a dump.json with *data* into *folder* and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    content = {"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None, **header}
    text = json.dumps({**content, "data": data}, indent=indent)
    (folder / "dump.json").write_text(text, encoding="utf-8")
    return folder


def codes(dump: Dump) -> list[str]:
    """Return the codes of the problems of *dump*."""
    return [problem.code for problem in dump.problems]
