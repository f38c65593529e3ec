"""What the window asks a worker process to do: work functions with picklable arguments and results."""

from __future__ import annotations

from collections.abc import Sequence

from core.emulation.chips.profile import Profile, find_profile
from core.emulation.engine import EmulationOptions, emulate_result
from core.errors import InputError, Problem
from core.progress import Work
from core.records.emulation import Emulation
from core.records.run import CellKey
from core.store.results import chosen_cells


def emulation_of_result(
    result_path: str,
    profile: str,
    changed: dict[str, object] | None = None,
    cells: Sequence[CellKey] | None = None,
    operators: Sequence[str] | None = None,
) -> Work[Emulation]:
    """Replay calls of the target of a result file under a profile.

    Parameters
    ----------
    profile
        A name that :func:`core.emulation.chips.profile.find_profile` knows, or a file.
    changed
        Parameters that the user has set otherwise.
    cells
        The cells to look at; all by default.
    operators
        Names of the calls to replay, each with every setting of the envelope; all by default.

    Raises
    ------
    InputError
        If it is no result file, is damaged, the profile is none, or no such call is there.
    """
    asked = EmulationOptions(
        _profile(profile, changed),
        wanted=lambda name: operators is None or name in operators,
        thorough=operators is not None,
    )
    wanted = list(cells) if cells is not None else chosen_cells(result_path, (), ())
    made, _ = yield from emulate_result(result_path, asked, wanted)
    if operators is not None and not made.calls:
        raise InputError(Problem("no_such_operator", result_path, {"operator": ", ".join(operators)}))
    return made


def _profile(name: str, changed: dict[str, object] | None) -> Profile:
    profile = find_profile(name)
    return profile.with_values(name, **changed) if changed else profile
