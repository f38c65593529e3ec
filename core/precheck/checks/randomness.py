"""Seeds, dropout, shuffling and deterministic kernels: what makes two runs of one training differ."""

from __future__ import annotations

from core.messages import Message
from core.precheck.checks.missing import lacking
from core.precheck.checks.setting_findings import finding_of, settings_finding, unless_open, without_settings
from core.precheck.checks.setting_items import Cell, compare, item_of, rows_of
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.settings.known import How, number
from core.precheck.settings.values import folded
from core.records.evidence import EvidenceKind
from core.records.precheck import Item, Outcome, Standing

_SWITCHES = {
    "HCCL_DETERMINISTIC": ("true", "strict", "1"),
    "LCCL_DETERMINISTIC": ("1", "true"),
    "CLOSE_MATMUL_K_SHIFT": ("1",),
    "ATB_MATMUL_SHUFFLE_K_ENABLE": ("0",),
    "CUBLAS_WORKSPACE_CONFIG": (":4096:8", ":16:8"),
    "NVTE_ALLOW_NONDETERMINISTIC_ALGO": ("0",),
    "FLASH_ATTENTION_DETERMINISTIC": ("1", "true"),
}
"""Variables that ask for deterministic kernels or communication, with the values that do.

Ascend's environment variable reference; CUDA's cuBLAS documentation; Transformer Engine's.
"""
_PART = ("HCCL_DETERMINISTIC", "CUBLAS_WORKSPACE_CONFIG")
"""Variables that ask it of communication alone, or of matrix products alone: kernels need a flag."""


def seed(pair: Pair) -> Finding:
    """Compare the seeds."""
    return settings_finding(pair, "randomness.seed", ("seed",))


def dropout(pair: Pair) -> Finding:
    """Find dropout that is not 0: each device draws its own mask, whatever the seed."""
    made = compare(pair, rows_of("randomness.dropout"))
    names = [row.name for row in rows_of("randomness.dropout")]
    known = [
        {name: number(side.configuration.get(name)) for name in names} for side in (pair.target, pair.golden)
    ]
    for name in names:
        rates = [side[name] for side in known]
        if any(rates):
            facts = {"name": name, **{side: _rate(rate) for side, rate in zip(("target", "golden"), rates)}}
            message = Message("precheck.randomness.dropout.fail", facts)
            return Finding(Outcome.FAIL, message, made.items)
    there = [any(rate is not None for rate in side.values()) for side in known]
    if not all(there) and not made.open:
        sided = Message(f"precheck.randomness.dropout.unsaid.{lacking(*there)}")
        return Finding(Outcome.NOT_DONE, sided, made.items)
    return unless_open(Finding(Outcome.PASS, Message("precheck.randomness.dropout.pass"), made.items), made)


def _rate(rate: float | None) -> str:
    return repr(rate) if rate is not None else "—"


def shuffle(pair: Pair) -> Finding:
    """Compare how samples are shuffled; unless that is off, both need the same seed."""
    made = compare(pair, rows_of("randomness.shuffle"))
    finding = finding_of(pair, made)
    sides = (pair.target.configuration, pair.golden.configuration)
    off = all(settings.value("shuffle") is False for settings in sides)
    if finding.result is not Outcome.PASS or off:
        return finding
    seeds = compare(pair, [row for row in rows_of("randomness.seed") if row.name in ("seed", "data_seed")])
    items = (*made.items, *seeds.items)
    if seeds.failing:
        first = seeds.failing[0]
        facts = {"target": first.target or "—", "golden": first.golden or "—"}
        return Finding(Outcome.FAIL, Message("precheck.randomness.shuffle.seeds", facts), items)
    if not seeds.agreeing:
        return Finding(Outcome.NOT_DONE, Message("precheck.randomness.shuffle.unseeded"), items)
    return unless_open(Finding(Outcome.PASS, Message("precheck.randomness.shuffle.pass"), items), seeds)


def determinism(pair: Pair) -> Finding:
    """Find whether both sides ask for deterministic kernels and communication.

    The frameworks' flags ask for both. Variables ask for a part, and show nothing of the rest.
    """
    made = compare(pair, rows_of("randomness.determinism"))
    items = (*made.items, *_variables(pair))
    states = [_is_deterministic(side) for side in (pair.target, pair.golden)]
    if all(states):
        passed = Finding(Outcome.PASS, Message("precheck.randomness.determinism.pass"), items)
        return unless_open(passed, made)
    if False in states:
        side = lacking(*(state is not False for state in states))
        return Finding(Outcome.FAIL, Message(f"precheck.randomness.determinism.off.{side}"), items)
    if not any(side.configuration.sources for side in (pair.target, pair.golden)):
        return without_settings(pair, items)
    for name, state, one in zip(("target", "golden"), states, (pair.target, pair.golden)):
        if state is None and (part := _part(one)):
            message = Message(f"precheck.randomness.determinism.part.{name}", {"name": part})
            return Finding(Outcome.NOT_DONE, message, items)
    side = lacking(*(state is not None for state in states))
    return Finding(Outcome.NOT_DONE, Message(f"precheck.randomness.determinism.unsaid.{side}"), items)


def _is_deterministic(side: Side) -> bool | None:
    """Return whether *side* asks for determinism; ``None`` where its evidence does not say."""
    settings = side.configuration
    if settings.value("deterministic") is True:
        return True
    variables = {item.name: folded(item.value) for item in side.environment()}
    communication = variables.get("HCCL_DETERMINISTIC")
    if communication is not None and communication not in _SWITCHES["HCCL_DETERMINISTIC"]:
        return False
    if settings.is_open("deterministic"):
        return None
    known = settings.get("deterministic")
    if known is not None and known.how is not How.DEFAULT:
        return False
    listed = any(EvidenceKind.SCRIPT not in item.kinds for item in side.of_kind(EvidenceKind.ENVIRONMENT))
    return None if _part(side) or not (known or listed) else False


def _part(side: Side) -> str:
    """Return the variable by which *side* asks for determinism of a part; empty without one."""
    variables = {item.name: folded(item.value) for item in side.environment()}
    return next((name for name in _PART if variables.get(name) in _SWITCHES[name]), "")


def _variables(pair: Pair) -> list[Item]:
    sides = [{item.name: item for item in side.environment()} for side in (pair.target, pair.golden)]
    items = []
    for name, values in _SWITCHES.items():
        found = [side.get(name) for side in sides]
        if any(found):
            cells = [Cell(item.value, item.place) if item is not None else Cell() for item in found]
            on = [item is not None and folded(item.value) in values for item in found]
            items.append(item_of(name, cells, Standing.EQUAL if on[0] is on[1] else Standing.REMARK))
    return items
