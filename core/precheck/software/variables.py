"""The table of environment variables: what each decides, and what holds where it is not set.

The shipped table is ``resources/tables/environment.toml``, which explains its own entries.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from core.formats import limit_table

_TRUE = ("1", "true", "on", "yes", "enable", "enabled")
_FALSE = ("0", "false", "off", "no", "disable", "disabled")


_OPEN = re.compile(r"\$[\w{(]|`")


class Maker(StrEnum):
    """Kind of machine."""

    NPU = "npu"
    GPU = "gpu"


class VariableClass(StrEnum):
    """What a variable means for the numbers of a training."""

    NUMERIC = "numeric"
    COMMUNICATION = "communication"
    DEVICE = "device"
    OTHER = "other"
    """In no list."""
    NOISE = "noise"


@dataclass(frozen=True)
class Switch:
    """One thing that variables decide."""

    kind: VariableClass
    names: Mapping[str, Maker | None]
    """The kind of machine that reads each; ``None`` for any."""
    default: str | None = None
    on_gpu: str | None = None

    def read_by(self, maker: Maker) -> bool:
        """Whether machines of the kind *maker* read any of its names."""
        return any(of in (None, maker) for of in self.names.values())

    def unset(self, maker: Maker | None) -> str | None:
        """Return what a machine of the kind *maker* acts as where no variable is set; ``None``: not known, or
        nothing that other machines have.
        """
        if maker is Maker.GPU and self.on_gpu is not None:
            return self.on_gpu
        return self.default if maker is None or self.read_by(maker) else None


@dataclass(frozen=True)
class VariableTable:
    """What the table says."""

    switches: tuple[Switch, ...]
    makers: tuple[tuple[str, Maker], ...]
    """Patterns of names, and who reads them."""
    noise: tuple[str, ...]

    def maker_of(self, name: str) -> Maker | None:
        """Return the kind of machine that alone reads the variable *name*; ``None`` for any or not known."""
        for switch in self.switches:
            if name in switch.names:
                return switch.names[name]
        return next((maker for pattern, maker in self.makers if fnmatchcase(name, pattern)), None)

    def switch_of(self, name: str) -> Switch:
        """Return the switch that the variable *name* sets; one of its own for a name that no switch has."""
        found = next((switch for switch in self.switches if name in switch.names), None)
        if found is not None:
            return found
        noise = any(fnmatchcase(name, pattern) for pattern in self.noise)
        kind = VariableClass.NOISE if noise else VariableClass.OTHER
        return Switch(kind, {name: self.maker_of(name)})


def acts_as(value: str) -> str:
    """Return *value* as it acts: all ways to say yes, and all to say no, are one."""
    word = value.strip().casefold()
    return "1" if word in _TRUE else "0" if word in _FALSE else word


@lru_cache(maxsize=1)
def variable_table() -> VariableTable:
    """Return the table that ulpscope comes with."""
    table = tomllib.loads(limit_table.shipped_text("environment"))
    makers = tuple((pattern, Maker(maker)) for maker, names in table["makers"].items() for pattern in names)
    switches = tuple(switch for row in table["switch"] for switch in _switches(row, makers))
    return VariableTable(switches, makers, tuple(table["noise"]["names"]))


def _switches(row: Mapping[str, Any], makers: tuple[tuple[str, Maker], ...]) -> Iterator[Switch]:
    kind = VariableClass(row["class"])
    default, on_gpu = row.get("default"), row.get("on_gpu")
    for name in row.get("each", ()):
        maker = next((of for pattern, of in makers if fnmatchcase(name, pattern)), None)
        # CUDA_DEVICE_MAX_CONNECTIONS is set for NPUs too.
        yield Switch(kind, {name: None if kind is VariableClass.DEVICE else maker}, default, on_gpu)
    names: dict[str, Maker | None] = {name: maker for maker in Maker for name in row.get(maker.value, ())}
    if names:
        yield Switch(kind, names, default, on_gpu)


def is_open(value: str) -> bool:
    """Whether *value* depends on what only the machine knows: a script sets it to another variable's."""
    return _OPEN.search(value) is not None
