"""Training logs that lie in a dump's folder or beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter

from core.formats.folder_entries import files_in
from core.formats.logs.event_folders import event_files, is_event_name, own_event_files
from core.formats.logs.sniffing import is_training_log
from core.formats.search import DUMP_FILES
from core.messages import Message
from core.progress import Progress, Work

_MOST_FILES, _MOST_ENTRIES = 300, 5000
"""Files that are looked into, and entries of a folder that are listed, at most."""
_MOST_SECONDS = 5.0
_LIKELY = (".log", ".txt", ".out", ".jsonl", ".json", ".csv", ".tsv", "")
"""Endings that logs have, the likeliest first; others come after them."""
_NO_LOGS = frozenset(
    (
        ".pt", ".pth", ".npy", ".npz", ".bin", ".safetensors", ".h5", ".hdf5", ".ckpt", ".pkl",
        ".xlsx", ".py", ".so", ".zip", ".gz", ".tar", ".png", ".jpg", ".pdf", ".yaml", ".yml", ".toml",
        ".sh", ".md",
    )
)  # fmt: skip
_EVENT_FOLDERS = re.compile(
    r"(?:tb|tensorboard|lightning_logs)(?:[_-].*)?|tb_?logs?|runs?|events?|logs?", re.I
)
"""Names of folders in which event files lie one level further down."""


def logs_near(paths: Iterable[str]) -> Work[list[str]]:
    """Return the training logs in the folders of the dumps *paths*, and in those one level above.

    A log is known by what it holds. Only so many files are looked into, the likeliest first: the answer may
    not be complete, and nothing in it is wrong.
    """
    yield Progress(0, 0, Message("progress.logs"))
    folders: dict[Path, None] = {}
    for path in filter(None, paths):
        place = Path(path)
        folder = place if place.is_dir() else place.parent
        folders.update(dict.fromkeys((folder, folder.parent)))
    candidates = [file for folder in folders for file in files_in(folder, _MOST_ENTRIES, _may_be_log)]
    candidates.sort(key=_likelihood)
    found = dict.fromkeys(log for folder in folders for log in _event_logs(folder))
    began = perf_counter()
    for number, file in enumerate(candidates[:_MOST_FILES]):
        if perf_counter() - began > _MOST_SECONDS:
            break
        yield Progress(number, min(len(candidates), _MOST_FILES), Message("progress.logs"))
        if is_training_log(str(file)):
            found[str(file)] = None
    return list(found)


def _may_be_log(name: str) -> bool:
    return name not in DUMP_FILES and Path(name).suffix.lower() not in _NO_LOGS and not is_event_name(name)


def _event_logs(folder: Path) -> Iterator[str]:
    """Yield the event files of *folder* and of likely folders in it: one alone, several as their folder."""
    try:
        inner = [
            entry
            for entry in sorted(folder.iterdir())
            if _EVENT_FOLDERS.fullmatch(entry.name) and entry.is_dir()
        ]
    except OSError:
        return
    for place in (folder, *inner):
        files = event_files(str(place)) if place != folder else own_event_files(str(place))
        logs = [file for file in files if is_training_log(file)]
        if logs:
            yield logs[0] if len(logs) == 1 else str(Path(logs[0]).parent)


def _likelihood(file: Path) -> tuple[int, str]:
    ending = file.suffix.lower()
    return (_LIKELY.index(ending) if ending in _LIKELY else len(_LIKELY), str(file))
