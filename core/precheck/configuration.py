"""What the settings of one side mean together: one value a setting, from all its evidence."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.precheck.settings.derived import Derivation, default_of
from core.precheck.settings.known import Conflict, Contradiction, How, Known, whole
from core.precheck.settings.table import SettingRow, SettingTable, shipped_settings
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

__all__ = ["Configuration", "Conflict", "Contradiction", "How", "Known", "configuration_of"]

_OTHER_RUNS = frozenset((EvidenceKind.REPEAT_LOG, EvidenceKind.FULL_PRECISION_LOG))
"""Logs of further runs: their settings are not those of the side."""
_NEEDED = {
    Dialect.MEGATRON: {"num_layers", "hidden_size", "num_attention_heads", "micro_batch_size", "lr"},
    Dialect.HUGGING_FACE: {"output_dir"},
}
"""Frameworks whose command line says all that differs from their defaults, and what it then holds.

Megatron-LM refuses to start without the sizes (``validate_args``), TrainingArguments without the folder.
"""
_WHOLE_BLOCK = 30
"""Printed settings from which a log holds them all: a framework prints a hundred, other lines a few."""
_LLAMA_FACTORY = frozenset(("stage", "finetuning_type"))
"""Names of LLaMA-Factory's own, of which every run says one."""
_PRINTED, _COMMAND, _FILE, _ENVIRONMENT = range(4)


class _Source(NamedTuple):
    """One file as far as it speaks one dialect: within it the later word holds."""

    rank: int
    """What is believed first has the least."""
    path: str
    member: str
    dialect: Dialect


@dataclass(frozen=True)
class Configuration:
    """The settings of one side."""

    known: Mapping[str, Known] = field(default_factory=dict)
    """By canonical name."""
    others: tuple[Setting, ...] = ()
    """What the table does not know, each name once."""
    unknown: Mapping[str, Setting] = field(default_factory=dict)
    """Settings whose value only the machine knows, by canonical name."""
    contested: Mapping[str, tuple[Known, ...]] = field(default_factory=dict)
    """Settings of which sources that are believed alike say different values: which one holds is open."""
    conflicts: tuple[Conflict, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    """Numbers of the side that do not go together."""
    frameworks: frozenset[Dialect] = frozenset()
    """Frameworks of which all settings are told: what is not said there has their default."""
    sources: int = 0
    """Files, or parts of them, that say settings which the table knows."""
    confirmed: int = 0
    """Settings that several of them say, the environment apart: they agree unless they are a conflict."""

    def get(self, name: str) -> Known | None:
        """Return what is known of the setting *name*."""
        return self.known.get(name)

    def whole(self, name: str) -> int | None:
        """Return the positive whole number of the setting *name*, ``None`` where there is none."""
        return whole(self.known.get(name))

    def is_open(self, name: str) -> bool:
        """Whether the setting *name* is said, but not which value it has: no default holds for it."""
        return name in self.unknown or name in self.contested

    def value(self, name: str) -> Meaning:
        """Return the value of the setting *name*, ``None`` where it is not known."""
        known = self.known.get(name)
        return known.value if known is not None else None


def configuration_of(evidence: tuple[Evidence, ...], table: SettingTable | None = None) -> Configuration:
    """Return what the settings of *evidence* mean.

    Printed arguments are believed before a command line, this before a file of settings, this before the
    environment, and all before the framework's default; what follows from others fills the gaps. Two values
    of one setting are a conflict, unless the environment alone says the second; where both are believed
    alike, neither holds, whatever the order of the evidence.
    """
    table = table or shipped_settings()
    words = _Words(table)
    for item in evidence:
        words.take(item)
    known, conflicts, contested = words.settled()
    unknown = {name: setting for name, setting in words.unknown().items() if name not in contested}
    for name in unknown:
        known.pop(name, None)
    frameworks = _frameworks(evidence)
    factory = Dialect.HUGGING_FACE in frameworks and _is_llama_factory(evidence)
    for row in table.rows.values():
        if row.name not in known and row.name not in unknown and row.name not in contested:
            told = next((dialect for dialect in sorted(frameworks) if dialect in row.defaults), None)
            default = row.defaults[told] if told is not None else None
            if factory and isinstance(row.llama_factory, bool | int | float | str):
                dialect = Dialect.HUGGING_FACE
                known[row.name] = default_of(row.name, row.llama_factory, dialect, "LLaMA-Factory")
            elif told is not None and isinstance(default, bool | int | float | str):
                known[row.name] = default_of(row.name, default, told)
    derivation = Derivation(known, frameworks, frozenset((*unknown, *contested)), llama_factory=factory)
    derivation.derive()
    return Configuration(
        known,
        words.others(),
        {name: setting for name, setting in unknown.items() if name not in known},
        {name: values for name, values in contested.items() if name not in known},
        tuple(conflicts),
        tuple(derivation.contradictions),
        frameworks,
        words.sources,
        words.confirmed,
    )


class _Words:
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
        if _OTHER_RUNS.intersection(item.kinds):
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


def _is_llama_factory(evidence: Iterable[Evidence]) -> bool:
    return any(
        setting.dialect is Dialect.HUGGING_FACE and folded(setting.name.lstrip("-")) in _LLAMA_FACTORY
        for item in evidence
        for setting in item.settings
    )


def _frameworks(evidence: Iterable[Evidence]) -> frozenset[Dialect]:
    """Return the frameworks of which all settings are told.

    A launch line may end in variables that are set elsewhere; without what no training can do without, it is
    a part only.
    """
    whole_blocks = set()
    said: dict[Dialect, set[str]] = {dialect: set() for dialect in _NEEDED}
    for item in evidence:
        if _OTHER_RUNS.intersection(item.kinds):
            continue
        counts = Counter(setting.dialect for setting in item.settings)
        if EvidenceKind.ARGUMENTS in item.kinds:
            whole_blocks |= {dialect for dialect in said if counts[dialect] >= _WHOLE_BLOCK}
        for setting in item.settings:
            if setting.dialect in said:
                said[setting.dialect].add(folded(setting.name.lstrip("-")))
    told = {
        dialect
        for dialect, names in _NEEDED.items()
        if names <= said[dialect] and not any(name.startswith("$") for name in said[dialect])
    }
    return frozenset(whole_blocks | told)
