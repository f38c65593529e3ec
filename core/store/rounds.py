"""Which targets were compared with a golden one after the other: the rounds of mending a run.

One small JSON file a golden, beside the notes on pairs, found again by the golden's path.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from core.store.notes import data_directory, write_whole


@dataclass(frozen=True)
class Round:
    """One target that was compared with the golden."""

    target: str
    """Its path."""
    result: str
    """The result file; it may be gone, and is made anew from the target then."""
    created: str
    """When it was compared: ISO 8601 with offset."""


def load_rounds(golden: str) -> tuple[Round, ...]:
    """Return the rounds against *golden*, the first one first; none where nothing readable is kept."""
    with contextlib.suppress(OSError, ValueError, TypeError, KeyError, RecursionError):
        said = json.loads(_place(golden).read_text("utf-8"))
        return tuple(
            Round(str(one["target"]), str(one["result"]), str(one["created"])) for one in said["rounds"]
        )
    return ()


def save_rounds(golden: str, rounds: Sequence[Round]) -> None:
    """Keep *rounds* as those against *golden*.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    write_whole(_place(golden), {"golden": golden, "rounds": [asdict(one) for one in rounds]})


def _place(golden: str) -> Path:
    path = str(Path(golden).absolute()).encode("utf-8", "surrogatepass")
    return data_directory() / "goldens" / f"{hashlib.blake2b(path, digest_size=12).hexdigest()}.json"
