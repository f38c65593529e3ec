"""The table of settings: which names mean the same, and what holds where nothing is said.

The shipped table is ``resources/tables/settings.toml``, which explains its own entries.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from core.formats import limit_table
from core.messages import Message
from core.precheck.settings.values import (
    NOTHING,
    Meaning,
    SettingKind,
    flag_of,
    folded,
    meaning_of,
    number_of,
)
from core.records.evidence import Dialect, Value

_SIGNED = re.compile(r"(?P<sign>!|2\^)?(?P<name>[^=@]+)(?:=(?P<choice>.+)|@(?P<element>\d+))?")
_FOREIGN = re.compile(
    r"(^|[._])(eval|evaluate|evaluation|test|val|valid|validation|infer|inference|predict|generation|vision|visual|audio"
    r"|video|image|teacher|draft|critic|reward|rollout|ref|discriminator|vae|vocoder|tensorboard|wandb|hydra)[^.]*\."
)
"""Sections that are not about the model that is trained, or not about its training."""
_MOST_POWER = 1024
_LONGEST_NAME = 300
"""Characters of a name; longer ones are no settings."""


class _Alias(NamedTuple):
    row: SettingRow
    sign: str
    choice: str
    element: int
    same: Mapping[str, str]


@dataclass(frozen=True)
class SettingRow:
    """One setting."""

    name: str
    check: str
    """The row of the checklist that compares it."""
    kind: SettingKind
    aliases: Mapping[Dialect, tuple[str, ...]]
    defaults: Mapping[Dialect, Meaning]
    same: Mapping[str, str]
    """Choices by their other spellings, folded."""
    same_in: Mapping[Dialect, Mapping[str, str]]
    """The same for spellings that mean something else in other dialects."""
    none: tuple[Meaning, ...]
    """Values that say that the setting is not used."""
    dynamic: bool
    """Not set means 0, which stands for a scale that the training looks for itself."""
    instead: str
    """The setting that this one is another word for: where that is known, this one does not count."""
    adjusted: bool
    """The framework changes it by itself, so that printed arguments may differ from the command line."""
    derived: bool
    follows: tuple[str, ...]
    """Settings that this one is worked out of."""
    counted: tuple[str, ...]
    """Settings that fix this one together with those that it follows, whoever tells it."""
    llama_factory: Meaning
    """LLaMA-Factory's own default, ``None`` where that of transformers holds."""

    def says_plainly(self, name: str) -> bool:
        """Whether *name* stands for this setting as it is: no opposite, no element of a list, no choice."""
        word = folded(name.lstrip("-"))
        return any(word == folded(alias) for aliases in self.aliases.values() for alias in aliases)


class Said(NamedTuple):
    """What a name and its value come to."""

    row: SettingRow
    value: Meaning
    remark: Message | None


@dataclass(frozen=True)
class SettingTable:
    """All settings, by canonical name."""

    rows: Mapping[str, SettingRow]

    @cached_property
    def _by_dialect(self) -> Mapping[Dialect, Mapping[str, tuple[_Alias, ...]]]:
        made: dict[Dialect, dict[str, tuple[_Alias, ...]]] = {dialect: {} for dialect in Dialect}
        for row in self.rows.values():
            for dialect, names in row.aliases.items():
                for spelled in names:
                    name, alias = _alias(row, spelled, dialect)
                    made[dialect][name] = (*made[dialect].get(name, ()), alias)
            if not row.derived:
                made[Dialect.PLAIN].setdefault(row.name, (_alias(row, row.name, Dialect.PLAIN)[1],))
        return made

    @cached_property
    def _anywhere(self) -> Mapping[str, tuple[_Alias, ...]]:
        """Names that mean one thing in all dialects; variables of the environment are no such names."""
        found: dict[str, set[tuple[str, ...]]] = {}
        aliases: dict[str, tuple[_Alias, ...]] = {}
        for dialect, names in self._by_dialect.items():
            if dialect is not Dialect.ENVIRONMENT:
                for name, several in names.items():
                    found.setdefault(name, set()).add(tuple(alias.row.name + alias.sign for alias in several))
                    aliases.setdefault(name, several)
        return {name: aliases[name] for name, meanings in found.items() if len(meanings) == 1}

    def knows(self, name: str, dialect: Dialect) -> bool:
        """Whether *name* as a whole is in the table."""
        return bool(self._whole(name, dialect))

    def find(self, name: str, value: Value, dialect: Dialect, *, alone: bool = True) -> list[Said]:
        """Return what *name* with *value* says; nothing if the table does not know it.

        Parameters
        ----------
        name
            As it is spelt, the path through sections joined by dots.
        value
            As it is spelt.
        dialect
            Whose name it is.
        alone
            Whether no other name of the same file ends with the same part: only then that part tells.
        """
        aliases = self._aliases(name, dialect, alone=alone)
        return [said for alias in aliases if (said := _said(alias, value)) is not None]

    def rows_named(self, name: str, dialect: Dialect, *, alone: bool = True) -> list[SettingRow]:
        """Return the settings that *name* is about, whatever its value; see :meth:`find`."""
        return [alias.row for alias in self._aliases(name, dialect, alone=alone)]

    def _aliases(self, name: str, dialect: Dialect, *, alone: bool) -> tuple[_Alias, ...]:
        if len(name) > _LONGEST_NAME:
            return ()
        aliases = self._whole(name, dialect)
        if not aliases and alone and "." in name and dialect is not Dialect.ENVIRONMENT:
            word = folded(name)
            aliases = () if _FOREIGN.search(word) else self._whole(word.rpartition(".")[2], dialect)
        return aliases

    def _whole(self, name: str, dialect: Dialect) -> tuple[_Alias, ...]:
        word = folded(name.lstrip("-"))
        own = self._by_dialect[dialect].get(word)
        if own is not None or dialect is Dialect.ENVIRONMENT:
            return own or ()
        return self._by_dialect[Dialect.PLAIN].get(word) or self._anywhere.get(word, ())


def _alias(row: SettingRow, spelled: str, dialect: Dialect) -> tuple[str, _Alias]:
    match = _SIGNED.fullmatch(spelled)
    if match is None:
        raise ValueError(f"{row.name}: {spelled!r} is no name")
    element = int(match["element"]) if match["element"] else -1
    same = {**row.same, **row.same_in.get(dialect, {})}
    return folded(match["name"]), _Alias(row, match["sign"] or "", match["choice"] or "", element, same)


def _said(alias: _Alias, value: Value) -> Said | None:
    """Return what the alias makes of *value*; ``None`` where that says nothing."""
    row = alias.row
    if alias.element >= 0:
        if not isinstance(value, tuple) or alias.element >= len(value):
            return None
        value = value[alias.element]
    if alias.choice:
        flag = flag_of(value)
        if flag is None and value is not None:
            return Said(row, *meaning_of(value, row.kind, alias.same))
        return Said(row, alias.choice, None) if flag else None
    if alias.sign == "!":
        flag = flag_of(value)
        value = None if flag is None else not flag
        if row.kind is not SettingKind.FLAG:
            return None if value or value is None else Said(row, "none", None)
    elif alias.sign == "2^":
        power = number_of(value)
        if not isinstance(power, int) or not 0 <= power <= _MOST_POWER:
            return None
        value = 2**power
    meaning, remark = meaning_of(value, row.kind, alias.same)
    if meaning is None and row.dynamic:
        meaning = 0
    if meaning is None or meaning in row.none:
        return None
    return Said(row, meaning, remark)


@lru_cache(maxsize=1)
def shipped_settings() -> SettingTable:
    """Return the table that ulpscope comes with."""
    said = tomllib.loads(limit_table.shipped_text("settings"))
    return SettingTable({name: _row(name, facts) for name, facts in said.items()})


def _row(name: str, facts: Mapping[str, Any]) -> SettingRow:
    same = _spellings(facts.get("same", {}))
    kind = SettingKind(facts["kind"])
    return SettingRow(
        name,
        facts["check"],
        kind,
        {dialect: tuple(facts[dialect.value]) for dialect in Dialect if dialect.value in facts},
        {
            Dialect(dialect): value if value in NOTHING else meaning_of(value, kind, same)[0]
            for dialect, value in facts.get("default", {}).items()
        },
        same,
        {Dialect(dialect): _spellings(choices) for dialect, choices in facts.get("same_in", {}).items()},
        tuple(facts.get("none", ())),
        facts.get("dynamic", False),
        facts.get("instead", ""),
        facts.get("adjusted", False),
        facts.get("derived", False),
        tuple(facts.get("follows", ())),
        tuple(facts.get("counted", ())),
        facts.get("llama_factory"),
    )


def _spellings(choices: Mapping[str, list[str]]) -> dict[str, str]:
    return {folded(word): choice for choice, others in choices.items() for word in (choice, *others)}
