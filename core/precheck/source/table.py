"""What differences are judged by, as the table ``source.toml`` says it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache

from core.formats.limit_table import shipped_text


@dataclass(frozen=True)
class SourceTable:
    """The table, ready for use."""

    suffixes: frozenset[str]
    folders: frozenset[str]
    builds: frozenset[str]
    """Folders that a build makes, where one of :attr:`built_by` lies beside them."""
    built_by: frozenset[str]
    numeric_words: frozenset[str]
    logging: re.Pattern[str]
    harmless: re.Pattern[str]
    """Calls that only give a value, in a line that prints."""
    device_lines: re.Pattern[str]
    device_words: tuple[tuple[re.Pattern[str], str], ...]
    device_any: re.Pattern[str]
    """Whether a line may be one of them, or hold one: most are not."""


@lru_cache(maxsize=1)
def source_table() -> SourceTable:
    """Return the table that ulpscope comes with."""
    said = tomllib.loads(shipped_text("source"))
    return SourceTable(
        frozenset(said["suffixes"]),
        frozenset(said["folders"]),
        frozenset(said["builds"]),
        frozenset(said["built_by"]),
        frozenset(said["numeric_words"]),
        re.compile("|".join(said["logging"])),
        re.compile("|".join(said["harmless"])),
        re.compile("|".join(said["device_lines"])),
        tuple((re.compile(pattern), becomes) for pattern, becomes in said["device_words"]),
        re.compile("|".join([*said["device_lines"], *(pattern for pattern, _ in said["device_words"])])),
    )
