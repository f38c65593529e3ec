"""What a user decided about a pair of runs: suspects that are explained, calls paired by hand.

One small JSON file a pair, in the platform's data directory, found again by the paths of the two runs.
Nothing in it depends on row numbers, so it holds for later comparisons of the pair.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import platformdirs

DIRECTORY_VARIABLE = "ULPSCOPE_DATA_DIR"


@dataclass(frozen=True)
class Notes:
    """The decisions about one pair."""

    explained: Mapping[str, str] = field(default_factory=dict)
    """Reason by the suspect's identity: it is explained, look at the next one."""
    pairs: Mapping[str, str] = field(default_factory=dict)
    """Golden operator by target operator, paired by hand."""

    def explain(self, identity: str, reason: str) -> Notes:
        """Return notes that also excuse the suspect *identity*."""
        return replace(self, explained={**self.explained, identity: reason})

    def accuse(self, identity: str) -> Notes:
        """Return notes that no longer excuse the suspect *identity*."""
        kept = {name: reason for name, reason in self.explained.items() if name != identity}
        return replace(self, explained=kept)


def load_notes(target: str, golden: str) -> Notes:
    """Return the notes about the pair; none, or a file that is no such file, gives empty ones."""
    with contextlib.suppress(OSError, ValueError, TypeError, AttributeError):
        said = json.loads(_place(target, golden).read_text("utf-8"))
        return Notes(
            {str(name): str(reason) for name, reason in said["explained"].items()},
            {str(left): str(right) for left, right in said["pairs"].items()},
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
    place.parent.mkdir(parents=True, exist_ok=True)
    said = {
        "target": target,
        "golden": golden,
        "explained": dict(notes.explained),
        "pairs": dict(notes.pairs),
    }
    temporary = place.with_suffix(f".{os.getpid()}.tmp")
    temporary.write_text(json.dumps(said, indent=1), "utf-8")
    temporary.replace(place)


def _place(target: str, golden: str) -> Path:
    wish = os.environ.get(DIRECTORY_VARIABLE)
    folder = Path(wish) if wish else Path(platformdirs.user_data_dir("ulpscope", appauthor=False))
    pair = f"{Path(target).absolute()}\n{Path(golden).absolute()}"
    name = hashlib.blake2b(pair.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return folder / "pairs" / f"{name}.json"
