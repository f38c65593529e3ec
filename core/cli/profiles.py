"""The arguments of commands that take a chip profile, and how a profile is shown."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from core.emulation.arithmetic.rounding import Overflow
from core.emulation.chips.profile import Profile, find_profile, profile_names
from core.emulation.chips.profile_values import FLOAT32_POLICIES
from core.messages import text
from core.records.emulation import ProfileParameter

_OPTIONS = {
    "overflow_mode": "overflow",
    "float32_product": "float32_product",
    "float32_convolution": "float32_convolution",
}
"""Parameter of the profile by the option that sets it."""


def add_profile_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare ``--profile`` and the options that change one."""
    names = ", ".join(profile_names())
    parser.add_argument("--profile", default="", metavar="P", help=text("cli.help.profile", names=names))
    parser.add_argument("--overflow-mode", choices=[*Overflow], help=text("cli.help.overflow_mode"))
    parser.add_argument("--float32-product", choices=FLOAT32_POLICIES, help=text("cli.help.float32_product"))
    parser.add_argument(
        "--float32-convolution", choices=FLOAT32_POLICIES, help=text("cli.help.float32_convolution")
    )


def profile_of(arguments: argparse.Namespace) -> Profile | None:
    """Return the profile that *arguments* ask for, ``None`` if for none.

    Raises
    ------
    InputError
        If it is unknown or wrong.
    """
    if not arguments.profile:
        return None
    profile = find_profile(arguments.profile)
    for option, parameter in _OPTIONS.items():
        value = getattr(arguments, option)
        if value is not None:
            profile = profile.with_values(f"--{option.replace('_', '-')}", **{parameter: value})
    return profile


def profile_as_text(parameters: tuple[ProfileParameter, ...]) -> Iterator[str]:
    """Yield a line a parameter: value, how it is known, and where from."""
    for item in parameters:
        name, basis = text(f"emulation.parameter.{item.name}"), text(f"emulation.basis.{item.basis}")
        yield f"  {name}: {item.value}  [{basis}: {item.source}]"
