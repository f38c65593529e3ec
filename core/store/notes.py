"""Where the notes on a pair of runs are kept.

One small JSON file a pair, in the platform's data directory, found again by the paths of the two runs.
Nothing in it depends on row numbers, so it holds for later comparisons of the pair.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

import platformdirs

from core.records.ignoring import IgnoreKind, IgnoreRule
from core.records.notes import Notes

DIRECTORY_VARIABLE = "ULPSCOPE_DATA_DIR"


def load_notes(target: str, golden: str) -> Notes:
    """Return the notes about the pair; none, or a file that is no such file, gives empty ones."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        said = json.loads(_place(target, golden).read_text("utf-8"))
        return Notes(
            _texts(said["explained"]),
            _texts(said["pairs"]),
            _texts(said.get("remarks", {})),
            tuple(_rules(said.get("ignored", ()))),
        )
    return Notes()


def save_notes(target: str, golden: str, notes: Notes) -> None:
    """Keep *notes* about the pair.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    place = _place(target, golden)
    said = {
        "target": target,
        "golden": golden,
        "explained": dict(notes.explained),
        "pairs": dict(notes.pairs),
        "remarks": dict(notes.remarks),
        "ignored": [asdict(rule) for rule in notes.ignored],
    }
    write_whole(place, said)


def data_directory() -> Path:
    """Return the folder where what users decided is kept."""
    wish = os.environ.get(DIRECTORY_VARIABLE)
    return Path(wish) if wish else Path(platformdirs.user_data_dir("ulpscope", appauthor=False))


def write_whole(place: Path, said: object) -> None:
    """Write *said* as JSON to *place*, which holds the old text or the new one, never a part.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    temporary = place.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(said, indent=1), "utf-8")
    temporary.replace(place)


def _texts(said: Mapping[object, object]) -> dict[str, str]:
    return {str(name): str(words) for name, words in said.items()}


def _rules(said: Iterable[Mapping[str, str]]) -> Iterator[IgnoreRule]:
    """Yield the rules that this version understands."""
    for rule in said:
        with contextlib.suppress(ValueError, KeyError, TypeError):
            yield IgnoreRule(IgnoreKind(rule["kind"]), str(rule["value"]), str(rule["reason"]))


def _place(target: str, golden: str) -> Path:
    pair = f"{Path(target).absolute()}\n{Path(golden).absolute() if golden else ''}"
    name = hashlib.blake2b(pair.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return data_directory() / "pairs" / f"{name}.json"
