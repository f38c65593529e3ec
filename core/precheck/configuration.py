"""What the settings of one side mean together: one value a setting, from all its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from core.precheck.settings.derived import Derivation, default_of
from core.precheck.settings.known import Conflict, Contradiction, How, Known, whole
from core.precheck.settings.table import SettingTable, shipped_settings
from core.precheck.settings.values import Meaning, folded
from core.precheck.settings.words import OTHER_RUNS, Words
from core.records.evidence import Dialect, Evidence, EvidenceKind, Setting

__all__ = ["Configuration", "Conflict", "Contradiction", "How", "Known", "configuration_of"]

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
    words = Words(table)
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
        if OTHER_RUNS.intersection(item.kinds):
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
