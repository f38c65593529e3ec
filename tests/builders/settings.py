"""Evidence that says settings, and pairs of sides made of it."""

from __future__ import annotations

from pathlib import Path
from types import GeneratorType

from core.messages import LANGUAGES, render
from core.precheck.checklist import kind_of
from core.precheck.configuration import Configuration, configuration_of
from core.precheck.finding import Finding
from core.precheck.gathering import gather
from core.precheck.pair import Pair, Side
from core.progress import run_to_end
from core.records.evidence import (
    Dialect,
    Evidence,
    EvidenceKind,
    Given,
    Place,
    Setting,
    Value,
    Variable,
)


def saying(
    dialect: Dialect = Dialect.MEGATRON,
    kind: EvidenceKind = EvidenceKind.SCRIPT,
    path: str = "train.sh",
    program: str = "pretrain_gpt.py",
    environment: dict[str, str] | None = None,
    **settings: Value,
) -> Evidence:
    """Return evidence that says *settings*; ``__`` in a name is a dot, ``_`` a dash in Megatron's names."""
    spelled = {
        (name.replace("__", ".") if dialect is not Dialect.MEGATRON else name.replace("_", "-")): value
        for name, value in settings.items()
    }
    return Evidence(
        path,
        (kind,),
        tuple(
            Setting(name, value, Place(path, line), dialect)
            for line, (name, value) in enumerate(spelled.items(), 1)
        ),
        program=program if kind is EvidenceKind.SCRIPT else "",
        environment=tuple(
            Variable(name, value, Place(path, 1)) for name, value in (environment or {}).items()
        ),
    )


def script(
    path: str = "train.sh",
    program: str = "pretrain_gpt.py",
    environment: dict[str, str] | None = None,
    **settings: Value,
) -> Evidence:
    """Return a complete launch line of Megatron-LM with *settings* of its own; ``None`` leaves one out."""
    whole: dict[str, Value] = {
        "num_layers": 2, "hidden_size": 16, "num_attention_heads": 2, "micro_batch_size": 1, "lr": 1e-3,
    }  # fmt: skip
    said = {name: value for name, value in {**whole, **settings}.items() if value is not None}
    return saying(path=path, program=program, environment=environment, **said)


def meaning(*evidence: Evidence) -> Configuration:
    """Return what *evidence* means together."""
    return configuration_of(evidence)


def pair_of(target: Evidence | tuple[Evidence, ...], golden: Evidence | tuple[Evidence, ...]) -> Pair:
    """Return a pair of sides."""
    sides = [Side(one if isinstance(one, tuple) else (one,)) for one in (target, golden)]
    return Pair(*sides)


def side_of(*paths: Path) -> Side:
    """Return the side that the files *paths* make, read as the pre-check reads them."""
    return run_to_end(gather([Given(str(path)) for path in paths])).side


def found(id: str, pair: Pair) -> Finding:
    """Return what the check *id* finds; its words are there in every language."""
    kind = kind_of(id)
    assert kind is not None
    assert kind.examine is not None
    finding = kind.examine(pair)
    if isinstance(finding, GeneratorType):
        finding = run_to_end(finding)
    for language in LANGUAGES:
        for message in (
            finding.message,
            *finding.remarks,
            *(item.remark for item in finding.items if item.remark),
        ):
            assert not render(message, language).startswith("precheck.")
    return finding  # type: ignore[return-value]
