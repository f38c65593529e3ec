"""What runs in worker processes for the emulation: the core's jobs, their answers as columns.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.progress import Progress, Work
from core.records.emulation import CallEmulation, Emulation
from core.records.run import CellKey

if TYPE_CHECKING:
    from core.emulation.chips.profile import Profile
    from gui.models.emulation.calls import Replayed

_POLITE = 10
"""How far this work stands back behind what the user waits for."""


@dataclass(frozen=True)
class ReplayedCall:
    """One call that was replayed by itself."""

    title: str
    """Of the profile."""
    call: CallEmulation


def replayed(
    path: str, profile: str, changed: Mapping[str, object], cells: tuple[CellKey, ...] | None
) -> Work[Replayed]:
    """Replay the calls of *cells* (``None``: all) of the result at *path*, at a low priority.

    What was found is kept in the result if the window made that itself; a file of the user's is left alone.
    """
    from core.emulation.jobs import emulation_of_result
    from gui.models.emulation.calls import replayed_of

    _stand_back()
    found = yield from emulation_of_result(path, profile, dict(changed), cells)
    if is_our_own(path):
        _keep(path, found)
    return replayed_of(found)


def replayed_call(
    path: str, profile: str, changed: Mapping[str, object], cell: CellKey, operator: str
) -> Work[ReplayedCall]:
    """Replay one call of the result at *path*."""
    from core.emulation.jobs import emulation_of_result

    found = yield from emulation_of_result(path, profile, dict(changed), (cell,), (operator,))
    return ReplayedCall(found.title, found.calls[0])


def kept(path: str) -> Work[Replayed | None]:
    """Read the emulation that the result at *path* holds, at a low priority."""
    from core.messages import Message
    from core.store.emulations import load_emulation
    from gui.models.emulation.calls import replayed_of

    _stand_back()
    yield Progress(0, 0, Message("gui.emulation.loading"))
    found = load_emulation(path)
    return replayed_of(found) if found is not None else None


def export(path: str, found: Replayed) -> Work[str]:
    """Write *found* as csv or json, by the ending of *path*; returns the path."""
    from core.report.emulation_report import write_emulation_report
    from gui.models.emulation.calls import emulation_in

    yield from ()
    return write_emulation_report(path, emulation_in(found))


def holds_emulation(path: str) -> bool:
    """Return whether the result at *path* holds an emulation, without reading it."""
    from core.store.integrity import sealed_reader
    from core.store.schema import EMULATION, FileKind

    with sealed_reader(Path(path), (FileKind.RESULT,)) as file:
        return EMULATION in file


def read_profile(path: str) -> Profile:
    """Return the profile in the file *path* of the user's own."""
    from core.emulation.chips.profile import load_profile

    return load_profile(path)


def operators_torch_would_add() -> int:
    """Return how many operators could be replayed if torch were installed; 0 if it is."""
    from core.emulation.torch_backend import added_operators, torch_available

    return 0 if torch_available() else len(added_operators())


def is_our_own(path: str) -> bool:
    """Return whether the result at *path* was made by the window, and not by the user."""
    from core.store.cache import default_directory

    return Path(path).parent.absolute() == (default_directory() / "results").absolute()


def _keep(path: str, found: Emulation) -> None:
    """Put *found* into the result, beside the calls of other cells replayed under the same profile."""
    from core.errors import InputError
    from core.store.emulations import add_emulation, load_emulation

    try:
        before = load_emulation(path)
        add_emulation(path, joined(before, found) if before is not None else found)
    except (InputError, OSError):  # read by another process just now, or the disk is full: it is shown anyway
        return


def joined(before: Emulation, found: Emulation) -> Emulation:
    """Return *found* with the cells of *before* that it lacks, if both were made in the same way."""
    if (before.profile, before.parameters) != (found.profile, found.parameters):
        return found
    cells = {call.cell for call in found.calls}
    calls = [*(call for call in before.calls if call.cell not in cells), *found.calls]
    return replace(found, calls=tuple(sorted(calls, key=lambda call: call.cell)))


def _stand_back() -> None:
    if hasattr(os, "nice"):
        os.nice(_POLITE)
