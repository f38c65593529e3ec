"""The table of packages: what each is known by, and what it means for the numbers.

The shipped table is ``resources/tables/packages.toml``, which explains its own entries.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import NamedTuple

from packaging.utils import canonicalize_name

from core.formats import limit_table
from core.precheck.software.variables import Maker

GIT = "git:"
"""What the name of a checked-out folder begins with; its version is a commit."""


class PackageClass(StrEnum):
    """What a package means for the numbers of a training."""

    NUMERIC = "numeric"
    DEVICE = "device"
    """It belongs to one kind of machine."""
    OTHER = "other"
    """In no list."""
    TOOLS = "tools"


class VendorRole(NamedTuple):
    """Something that each kind of machine has software of its own for."""

    role: str
    npu: str
    """Known name; empty where that kind has nothing of the sort."""
    gpu: str
    counts: bool
    """Whether another version on machines of one kind changes numbers."""


@dataclass(frozen=True)
class PackageTable:
    """What the table says."""

    exact: Mapping[str, PackageClass]
    patterns: tuple[tuple[str, PackageClass], ...]
    """Names with ``*``."""
    same: Mapping[str, str]
    """Known name by each other one."""
    vendor: tuple[VendorRole, ...]
    makers: tuple[tuple[str, Maker], ...]
    """Patterns of packages that run on one kind of machine only, and which."""

    def maker_of(self, known: str) -> Maker | None:
        """Return the kind of machine that alone can have the package *known*; ``None`` for any."""
        name = known.removeprefix(GIT)
        return next((maker for pattern, maker in self.makers if fnmatchcase(name, pattern)), None)

    def role_of(self, known: str) -> VendorRole | None:
        """Return what the package *known* is among each maker's own software, ``None`` for none of it."""
        return next((role for role in self.vendor if known in (role.npu, role.gpu)), None)

    def known_name(self, spelled: str) -> str:
        """Return the name that a package, or a checked-out folder, is known by: ``Flash_Attention`` by
        ``flash-attn``.
        """
        if spelled.startswith(GIT):
            return GIT + self.known_name(spelled.removeprefix(GIT))
        name = str(canonicalize_name(spelled.strip()))
        return self.same.get(name, name)

    def class_of(self, known: str) -> PackageClass:
        """Return the class of the package *known*; a checked-out commit is of the class of its package."""
        name = known.removeprefix(GIT)
        found = self.exact.get(name)
        if found is not None:
            return found
        return next(
            (kind for pattern, kind in self.patterns if fnmatchcase(name, pattern)), PackageClass.OTHER
        )


@lru_cache(maxsize=1)
def package_table() -> PackageTable:
    """Return the table that ulpscope comes with."""
    table = tomllib.loads(limit_table.shipped_text("packages"))
    listed = [(name, PackageClass(kind)) for kind, names in table["classes"].items() for name in names]
    return PackageTable(
        {name: kind for name, kind in listed if "*" not in name},
        tuple((name, kind) for name, kind in listed if "*" in name),
        {other: name for name, others in table["same"].items() for other in others},
        tuple(
            VendorRole(row["role"], row.get("npu", ""), row.get("gpu", ""), row["counts"])
            for row in table["vendor"]
        ),
        tuple((name, Maker(maker)) for maker, names in table["makers"].items() for name in names),
    )
