"""Where the notes on a pair of runs are kept.

One small JSON file a pair, in the platform's data directory, found again by the paths of the two runs.
Nothing in it depends on row numbers, so it holds for later comparisons of the pair.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from itertools import count
from pathlib import Path

import platformdirs

from core.records.ignoring import IgnoreKind, IgnoreRule
from core.records.notes import Notes

DIRECTORY_VARIABLE = "ULPSCOPE_DATA_DIR"

_RUNS = ("target", "golden")
"""Whose notes a file holds; nothing is read from it."""


def load_notes(target: str, golden: str) -> Notes:
    """Return the notes about the pair; parts of the file that cannot be understood are left out."""
    return _understood(_place(target, golden))[0]


def save_notes(target: str, golden: str, notes: Notes) -> str:
    """Keep *notes* about the pair.

    Returns
    -------
    str
        Where the file that was there before is kept, if it held what cannot be understood; else empty.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    place = _place(target, golden)
    aside = "" if _understood(place)[1] else str(put_aside(place))
    write_whole(place, {"target": target, "golden": golden, **_parts(notes)})
    return aside


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


def place_of_pair(folder: str, target: str, golden: str) -> Path:
    """Return the file of the two runs in *folder* of the data directory."""
    pair = f"{Path(target).absolute()}\n{Path(golden).absolute() if golden else ''}"
    name = hashlib.blake2b(pair.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return data_directory() / folder / f"{name}.json"


def put_aside(place: Path) -> Path:
    """Give the file at *place* the first free name that says that it is broken."""
    names = (place.with_suffix(f".{number}.broken" if number else ".broken") for number in count())
    aside = next(name for name in names if not os.path.lexists(name))
    place.replace(aside)
    return aside


def _parts(notes: Notes) -> dict[str, object]:
    return {
        "explained": dict(notes.explained),
        "pairs": dict(notes.pairs),
        "remarks": dict(notes.remarks),
        "ignored": [asdict(rule) for rule in notes.ignored],
    }


def _understood(place: Path) -> tuple[Notes, bool]:
    """Return the notes at *place*, and whether they are all that the file says."""
    try:
        said = json.loads(place.read_text("utf-8"))
    except FileNotFoundError:
        return Notes(), True
    except (OSError, ValueError, RecursionError):
        return Notes(), False
    if not isinstance(said, dict):
        return Notes(), False
    explained, pairs, remarks = (_texts(said.get(part)) for part in ("explained", "pairs", "remarks"))
    notes = Notes(explained, pairs, remarks, tuple(_rules(said.get("ignored"))))
    told = _parts(notes)
    return notes, all(part in _RUNS or (part in told and said[part] == told[part]) for part in said)


def _texts(said: object) -> dict[str, str]:
    found = said.items() if isinstance(said, dict) else ()
    return {name: words for name, words in found if isinstance(words, str)}


def _rules(said: object) -> Iterator[IgnoreRule]:
    """Yield the rules that this version understands."""
    for rule in said if isinstance(said, list) else ():
        with contextlib.suppress(ValueError, KeyError, TypeError):
            kind, value, reason = IgnoreKind(rule["kind"]), rule["value"], rule["reason"]
            if isinstance(value, str) and isinstance(reason, str):
                yield IgnoreRule(kind, value, reason)


def _place(target: str, golden: str) -> Path:
    return place_of_pair("pairs", target, golden)
