"""Chip profiles: each parameter of a chip's arithmetic with how it is known, and where from.

The shipped ones are ``resources/tables/profiles/*.toml``; a file of the user's own has the same form and
may be ``based_on`` one of them. What no one has published is varied by the envelope, never guessed alone;
bit-exactness with a chip is never claimed.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from core.emulation.chips.profile_values import ENVELOPE, PARAMETERS
from core.errors import InputError, Problem


class Basis(StrEnum):
    """How a parameter is known."""

    DOCUMENTED = "documented"
    """The vendor's documents or published source say so."""
    INFERRED = "inferred"
    """It follows from published measurements or from neighbouring facts."""
    ASSUMED = "assumed"
    """Nobody has published it."""
    GIVEN = "given"
    """The user says so: a profile of their own, or an option."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One fact about a chip's arithmetic."""

    name: str
    value: Any
    basis: Basis
    source: str


@dataclass(frozen=True)
class Profile:
    """The arithmetic of one chip. ``envelope`` holds, by parameter, the values that are tried beside it."""

    name: str
    title: str
    chips: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    envelope: Mapping[str, tuple[Any, ...]]

    def __getitem__(self, name: str) -> Any:
        return self.parameters[name].value

    def with_values(self, source: str, **values: Any) -> Profile:
        """Return the profile with parameters that the user has chosen; *source* says where.

        Raises
        ------
        InputError
            ``profile_bad_value``: a value that the parameter does not take; ``profile_option``: an overflow
            mode that this chip does not have.
        """
        changed = dict(self.parameters)
        for name, value in values.items():
            changed[name] = Parameter(name, _checked(name, value, source), Basis.GIVEN, source)
        said = ", ".join(f"{name}={value}" for name, value in values.items())
        title = f"{self.title} ({said})" if said else self.title
        made = Profile(self.name, title, self.chips, changed, self.envelope)
        modes = made["overflow_modes"]
        if made["overflow"] not in modes:
            parameters = {"chip": self.title, "value": made["overflow"], "allowed": ", ".join(modes)}
            raise InputError(Problem("profile_option", source, parameters))
        return made


def profile_names() -> tuple[str, ...]:
    """Return the names of the shipped profiles."""
    folder = files("resources") / "tables" / "profiles"
    files_of_it = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in files_of_it if name.endswith(".toml")))


@lru_cache(maxsize=8)
def shipped_profile(name: str) -> Profile:
    """Return the shipped profile of that name."""
    text = (files("resources") / "tables" / "profiles" / f"{name}.toml").read_text("utf-8")
    return _profile(tomllib.loads(text), name, name)


def shipped_profiles() -> Iterator[Profile]:
    """Yield all shipped profiles."""
    yield from map(shipped_profile, profile_names())


def find_profile(said: str) -> Profile:
    """Return the profile that *said* names: a shipped one, a chip of one, or a file.

    Raises
    ------
    InputError
        ``profile_unknown``, ``profile_ambiguous``, or what :func:`load_profile` raises.
    """
    if Path(said).suffix == ".toml" or Path(said).is_file():
        return load_profile(said)
    wanted = said.casefold()
    for profile in shipped_profiles():
        if wanted in {profile.name.casefold(), *(chip.casefold() for chip in profile.chips)}:
            return profile
    if wanted == _AMBIGUOUS:
        raise InputError(Problem("profile_ambiguous", said))
    raise InputError(Problem("profile_unknown", said, {"known": ", ".join(profile_names())}))


_AMBIGUOUS = "ascend910b"
"""What the vendor's software calls the first generation; A2 begins with Ascend910B1."""


def load_profile(path: str | Path) -> Profile:
    """Return the profile in the file *path*.

    Raises
    ------
    InputError
        ``profile_unreadable``, ``profile_syntax``, ``profile_unknown_key``, ``profile_bad_value`` or
        ``profile_missing``: nothing of a wrong profile is used.
    """
    name = str(path)
    try:
        text = Path(path).read_text("utf-8-sig")
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or type(error).__name__
        raise InputError(Problem("profile_unreadable", name, {"detail": detail})) from None
    try:
        said = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise InputError(Problem("profile_syntax", name, {"detail": str(error)})) from None
    return _profile(said, Path(path).stem, name)


def _profile(said: Mapping[str, Any], name: str, path: str) -> Profile:
    _known(path, said, ("profile", "parameters", "envelope"))
    head = _table(path, said, "profile")
    _known(path, head, ("title", "based_on", "chips"), "profile.")
    base = _base(head, path)
    parameters = dict(base.parameters) if base else {}
    for key, entry in _table(path, said, "parameters").items():
        if key not in PARAMETERS:
            raise InputError(
                Problem("profile_unknown_key", path, {"name": key, "known": ", ".join(PARAMETERS)})
            )
        parameters[key] = _parameter(path, key, entry, base is None or path == name)
    missing = [key for key in PARAMETERS if key not in parameters]
    if missing:
        raise InputError(Problem("profile_missing", path, {"names": ", ".join(missing)}))
    envelope = dict(base.envelope) if base else {}
    for key, values in _table(path, said, "envelope").items():
        envelope[key] = _alternatives(path, key, values)
    chips = head.get("chips", [])
    title = head.get("title", name)
    if not isinstance(title, str) or not _texts(chips):
        raise _bad_value(path, "profile", head, ("title = text", "chips = [text, ...]"))
    made = Profile(name, title, tuple(chips), parameters, envelope)
    if made["overflow"] not in made["overflow_modes"]:
        raise _bad_value(path, "overflow", made["overflow"], made["overflow_modes"])
    return made


def _base(head: Mapping[str, Any], path: str) -> Profile | None:
    based_on = head.get("based_on")
    if based_on is None:
        return None
    if based_on not in profile_names():
        raise _bad_value(path, "profile.based_on", based_on, profile_names())
    return shipped_profile(str(based_on))


def _parameter(path: str, name: str, entry: Any, shipped: bool) -> Parameter:
    """Return one parameter: a table with value, basis and source, or the bare value in a user's file."""
    if not isinstance(entry, Mapping) or "value" not in entry:
        return Parameter(name, _checked(name, entry, path), Basis.GIVEN, path)
    _known(path, entry, ("value", "basis", "source"), f"parameters.{name}.")
    said = entry.get("basis", Basis.GIVEN.value)
    if said not in set(Basis):
        raise _bad_value(path, f"{name}.basis", said, tuple(Basis))
    return Parameter(name, _checked(name, entry["value"], path), Basis(said), str(entry.get("source", path)))


def _checked(name: str, value: Any, path: str) -> Any:
    allowed = PARAMETERS[name]
    if not allowed.takes(value):
        raise _bad_value(path, name, value, allowed.described)
    return value


def _alternatives(path: str, name: str, values: Any) -> tuple[Any, ...]:
    if name not in ENVELOPE:
        raise InputError(
            Problem("profile_unknown_key", path, {"name": f"envelope.{name}", "known": ", ".join(ENVELOPE)})
        )
    if not isinstance(values, list) or not values or not all(ENVELOPE[name].takes(item) for item in values):
        raise _bad_value(path, f"envelope.{name}", values, ENVELOPE[name].described)
    return tuple(values)


def _table(path: str, said: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = said.get(name, {})
    if not isinstance(table, Mapping):
        raise _bad_value(path, name, table, (f"[{name}]",))
    return table


def _known(path: str, said: Mapping[str, Any], names: Sequence[str], prefix: str = "") -> None:
    for key in said:
        if key not in names:
            parameters = {"name": f"{prefix}{key}", "known": ", ".join(names)}
            raise InputError(Problem("profile_unknown_key", path, parameters))


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _bad_value(path: str, name: str, value: Any, allowed: Sequence[str]) -> InputError:
    parameters = {"name": name, "value": str(value), "allowed": ", ".join(map(str, allowed))}
    return InputError(Problem("profile_bad_value", path, parameters))
