"""What the official ``msprobe config_check`` packs: one member a subject.

Members, as mindstudio-probe 26.2.0 writes them (``core/config_check/checkers``): ``env`` (JSON of all
variables), ``pip`` (``name=version`` a line), ``hyperparameters/hyperparameters_static.json`` (options of the
launch script and settings of yaml files, flat) and ``.._dynamic.json`` (Megatron's arguments),
``dataset/step<n>/rank<n>/dataset.json`` and ``weights/step<n>/rank<n>/weight.json`` (max, min, mean, norm),
``random/rank<n>.json`` (calls by function, each with its stack).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from core.formats.evidence.environment import variables_of
from core.formats.evidence.evidence_file import EvidenceFile
from core.formats.evidence.json_value import value_of
from core.formats.evidence.naming import setting
from core.formats.evidence.package_lines import PackageLines
from core.formats.evidence.random_calls import random_calls_of
from core.formats.evidence.samples import samples_of
from core.formats.evidence.shell.launcher_tables import OPTION_NAMES
from core.formats.evidence.weights.statistics import statistics_of
from core.records.evidence import Dialect, Evidence, EvidenceKind, Setting, Value

_HYPER_PARAMETERS = re.compile(r"hyperparameters/hyperparameters_(?P<how>static|dynamic)\.json")
_BATCHES = re.compile(r"dataset/step\d+/rank\d+/[^/]+\.json")
_WEIGHTS = re.compile(r"weights/step\d+/rank\d+/[^/]+\.json")
_RANDOM = re.compile(r"random/rank\d+\.json")


def read_member(file: EvidenceFile) -> Evidence | None:
    """Return what a member of a config_check archive holds; ``None`` for a member of another name.

    Raises
    ------
    ValueError
        If a member of that name holds something else.
    """
    name = file.member
    if name == "pip":
        return _packages(file)
    if name == "env":
        variables = variables_of(_mapping(file), file)
        return Evidence(file.path, (EvidenceKind.ENVIRONMENT,), environment=variables)
    parameters = _HYPER_PARAMETERS.fullmatch(name)
    if parameters is not None:
        static = parameters["how"] == "static"
        kind = EvidenceKind.CONFIG if static else EvidenceKind.ARGUMENTS
        return Evidence(file.path, (kind,), settings=tuple(_settings(_mapping(file), file)))
    for pattern, read in ((_BATCHES, samples_of), (_WEIGHTS, statistics_of), (_RANDOM, random_calls_of)):
        if pattern.fullmatch(name):
            found = read(_mapping(file), file)
            if found is None:
                raise ValueError(name)
            return found
    return None


def _mapping(file: EvidenceFile) -> Mapping[str, Any]:
    value = value_of(file)
    if not isinstance(value, dict):
        raise ValueError(file.member)
    return value


def _packages(file: EvidenceFile) -> Evidence:
    lines = PackageLines(file)
    for number, line in file.lines():
        lines.take(number, line)
    return Evidence(file.path, (EvidenceKind.PACKAGES,), versions=lines.packed or lines.found())


def _settings(value: Mapping[str, Any], file: EvidenceFile) -> Iterator[Setting]:
    for name, held in value.items():
        # The packer joins what two files say of one name.
        said = held.get("values") if isinstance(held, dict) and "values" in held else [held]
        for item in said if isinstance(said, list) else [said]:
            if isinstance(item, list):
                plain: Value = tuple(part for part in item if not isinstance(part, (dict, list)))
            elif isinstance(item, dict):
                continue
            else:
                plain = item
            dialect = Dialect.LAUNCHER if name.replace("-", "_") in OPTION_NAMES else Dialect.MEGATRON
            if isinstance(plain, str) and plain.startswith("--"):
                # The packer takes an option behind a flag for the flag's value; that option's own is lost.
                yield setting(plain[2:], plain, file.place(), Dialect.MEGATRON, known=False)
                plain = True
            yield setting(name, plain, file.place(), dialect)
