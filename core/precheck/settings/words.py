"""All that one side says of its settings, sorted by what it means and by how far it is believed."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from core.precheck.settings.known import Conflict, How, Known
from core.precheck.settings.table import SettingRow, SettingTable
from core.precheck.settings.values import (
    Meaning,
    SettingKind,
    flag_of,
    folded,
    meaning_of,
    refers,
    same_meaning,
    shown,
    text_of,
)
from core.records.evidence import Dialect, Evidence, EvidenceKind, Setting

OTHER_RUNS = frozenset((EvidenceKind.REPEAT_LOG, EvidenceKind.FULL_PRECISION_LOG))
"""Logs of further runs: their settings are not those of the side."""
_PRINTED, _COMMAND, _FILE, _ENVIRONMENT = range(4)


class _Source(NamedTuple):
    """One file as far as it speaks one dialect: within it the later word holds."""

    rank: int
    """What is believed first has the least."""
    path: str
    member: str
    dialect: Dialect


class Words:
    """Sorts the settings of all evidence by what they mean."""

    def __init__(self, table: SettingTable) -> None:
        self._table = table
        self._said: dict[str, dict[_Source, Known]] = {}
        self._open: dict[str, dict[_Source, Setting]] = {}
        self._others: dict[str, dict[_Source, Setting]] = {}
        self._files: dict[str, str] = {}
        """Real paths by spelt ones: a file that is named in two ways is one source."""

    def take(self, item: Evidence) -> None:
        """Take the settings and variables of one piece of evidence."""
        if OTHER_RUNS.intersection(item.kinds):
            return
        settings = [_as_said(setting) for setting in (*item.settings, *_variables(item))]
        endings = Counter(map(_ending, settings))
        for setting in settings:
            source = _source(item, setting, self._real)
            alone = endings[_ending(setting)] == 1
            found = self._table.find(setting.name, setting.value, setting.dialect, alone=alone)
            heard = bool(found) or self._table.knows(setting.name, setting.dialect)
            if not heard and source.rank != _ENVIRONMENT:
                self._others.setdefault(folded(setting.name.lstrip("-")), {})[source] = setting
            if not setting.known:
                for row in self._table.rows_named(setting.name, setting.dialect, alone=alone):
                    self._said.get(row.name, {}).pop(source, None)
                    self._open.setdefault(row.name, {})[source] = setting
                continue
            for row, value, remark in found:
                if not _is_left_open(setting):
                    self._open.get(row.name, {}).pop(source, None)
                    self._said.setdefault(row.name, {})[source] = Known(
                        row.name,
                        value,
                        _spelling(setting, row, value),
                        setting.place,
                        _how(source),
                        setting.name,
                        setting.dialect,
                        remark,
                    )

    def _real(self, path: str) -> str:
        if path not in self._files:
            self._files[path] = os.path.realpath(path)
        return self._files[path]

    @property
    def sources(self) -> int:
        """How many files, or parts of them, said something."""
        return len({source for sources in self._said.values() for source in sources})

    @property
    def confirmed(self) -> int:
        """How many settings several sources said."""
        return sum(len(_counted(sources.values())) > 1 for sources in self._said.values())

    def settled(self) -> tuple[dict[str, Known], list[Conflict], dict[str, tuple[Known, ...]]]:
        """Return the value that holds of each setting, what is said twice differently, and what is open."""
        known, conflicts, contested = {}, [], {}
        for name, sources in self._said.items():
            if not sources:
                continue
            ranks = sorted(sources, key=lambda source: source.rank)
            order = [sources[source] for source in ranks]
            first = [sources[source] for source in ranks if source.rank == ranks[0].rank]
            if _agree(first):
                known[name] = order[0]
            else:
                contested[name] = tuple(first)
            counted = _counted(order)
            if self._table.rows[name].adjusted and order[0].how is How.PRINTED:
                continue
            if not _agree(counted):
                conflicts.append(Conflict(name, tuple(counted)))
        return known, conflicts, contested

    def others(self) -> tuple[Setting, ...]:
        """Return what the table does not know, each name once; open where those believed first differ."""
        found = []
        for sources in self._others.values():
            rank = min(source.rank for source in sources)
            first = [setting for source, setting in sources.items() if source.rank == rank]
            meanings = [meaning_of(setting.value, SettingKind.TEXT)[0] for setting in first]
            agree = all(same_meaning(meaning, meanings[0]) for meaning in meanings)
            several = "; ".join(sorted({text_of(setting.value) for setting in first}))
            found.append(first[0] if agree else first[0]._replace(value=several, known=False))
        return tuple(found)

    def unknown(self) -> dict[str, Setting]:
        """Return what nobody says who is believed as much as the source that leaves it open."""
        found = {}
        for name, sources in self._open.items():
            if not sources:
                continue
            said = min((source.rank for source in self._said.get(name, ())), default=_ENVIRONMENT + 1)
            first = min(sources, key=lambda source: source.rank)
            if first.rank < said:
                found[name] = sources[first]
        return found


def _agree(said: Sequence[Known]) -> bool:
    return all(same_meaning(one.value, said[0].value) for one in said)


def _counted(said: Iterable[Known]) -> list[Known]:
    """Return what must agree: a variable of the same name may be meant for something else."""
    return [one for one in said if one.how is not How.ENVIRONMENT]


def _variables(item: Evidence) -> Iterator[Setting]:
    """Yield environment variables as settings: only the table knows which of them are some."""
    for variable in item.environment:
        yield Setting(variable.name, variable.value, variable.place, Dialect.ENVIRONMENT)


def _as_said(setting: Setting) -> Setting:
    """Return *setting*, its value open where it refers to what is filled in when the training starts.

    ``lr: {{ lr }}`` of a template reads as a section whose one name is no word.
    """
    name, _, last = setting.name.rpartition(".")
    if name and last == "?":
        return setting._replace(name=name, value="{{ }}", known=False)
    values = setting.value if isinstance(setting.value, tuple) else (setting.value,)
    is_reference = any(isinstance(value, str) and refers(value) for value in values)
    return setting._replace(known=False) if is_reference and setting.known else setting


def _spelling(setting: Setting, row: SettingRow, value: Meaning) -> str:
    """Return the value as people read it; choices in the file's own words, which may differ and mean one."""
    word = setting.value
    if row.kind is SettingKind.PLACES:
        return " ".join(map(str, word)) if isinstance(word, tuple) else text_of(word)
    is_choice = row.kind is SettingKind.CHOICE and isinstance(word, str) and flag_of(word) is None
    return text_of(word) if is_choice else shown(value)


def _ending(setting: Setting) -> tuple[str, str, str]:
    return setting.place.path, setting.place.member, folded(setting.name.rpartition(".")[2])


def _source(item: Evidence, setting: Setting, real: Callable[[str], str]) -> _Source:
    place, path = setting.place, real(setting.place.path)
    own = path == real(item.path) and not place.member
    if setting.dialect is Dialect.ENVIRONMENT:
        rank = _ENVIRONMENT
    elif EvidenceKind.ARGUMENTS in item.kinds and own:
        rank = _PRINTED
    else:
        on_command = EvidenceKind.SCRIPT in item.kinds and own and setting.dialect is not Dialect.DEEPSPEED
        rank = _COMMAND if on_command else _FILE
    return _Source(rank, path, place.member, setting.dialect)


def _how(source: _Source) -> How:
    return {_PRINTED: How.PRINTED, _ENVIRONMENT: How.ENVIRONMENT}.get(source.rank, How.SAID)


def _is_left_open(setting: Setting) -> bool:
    """Whether the file leaves the value to another one, as DeepSpeed's does with ``auto``."""
    return setting.dialect is Dialect.DEEPSPEED and setting.value == "auto"
