"""What is shown and copied of a suspect: its evidence, its caller, what follows from it. Imports no Qt."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.messages import Parameter, render, text
from core.records.diagnosis import Diagnosis, Suspect
from core.records.ignoring import IgnoreRule, rule_of_call
from core.records.names import parse_operator_name
from core.records.notes import Notes
from core.records.result import CellResult, Origin
from core.records.run import CellKey
from core.records.stacks import Frame, is_own
from gui import numbers
from gui.models.call.details import pool_text, stacks_of
from gui.models.pair.categories import Category
from gui.models.pair.facts import Facts
from gui.names import shown

_OVER_ALLOWED = ("local_error_target", "local_error_golden")
"""Evidence that is counted in what is allowed, so that more than 1 is too much."""
_ELEMENT = "worst_index"
"""Evidence that is the flat place of an element."""
_LIMITS = {"output_error": "allowed"}
"""Evidence that is alarming when it exceeds another."""


def ignoring_rule(suspect: Suspect, notes: Notes) -> IgnoreRule | None:
    """Return the rule in *notes* that takes the call of *suspect* out of account; ``None`` if none does."""
    name = suspect.operator or suspect.golden_operator or ""
    return rule_of_call(notes.ignored, name, suspect.module or "")


def excuse(suspect: Suspect, notes: Notes) -> str | None:
    """Return the reason in *notes* why *suspect* is not held responsible; ``None`` if there is none."""
    rule = ignoring_rule(suspect, notes)
    return notes.explained.get(suspect.identity, None if rule is None else rule.reason)


def open_suspects(diagnosis: Diagnosis | None, notes: Notes) -> tuple[Suspect, ...]:
    """Return the suspects of *diagnosis*, best first, without those that *notes* excuse."""
    suspects = () if diagnosis is None else diagnosis.suspects
    return tuple(suspect for suspect in suspects if excuse(suspect, notes) is None)


def sentence_of(suspect: Suspect) -> str:
    """Return the sentence as plain text: names without the backticks around them."""
    return shown(render(suspect.message).replace("`", ""))


def cell_label(key: CellKey) -> str:
    """Return how a cell is called: ``step 0 · rank 3``."""
    parts = [key.phase] if key.phase else []
    parts.append(text("gui.top.step", value=key.step))
    parts.append(text("gui.top.rank", value=key.rank))
    return " · ".join(parts)


# ---- evidence


def fact_name(name: str) -> str:
    """Return what the fact *name* is called in the language in force."""
    code = f"evidence_fact.{name}"
    found = text(f"evidence_fact.{name}")
    words = name.replace("_", " ") if found == code else found
    return words[:1].upper() + words[1:]


def fact_value(value: Parameter) -> str:
    """Return *value* as it is read: digits in groups, a real minus, few digits."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return numbers.grouped(value)
    if 1e3 <= abs(value) < 1e7:
        return numbers.grouped(round(value))
    if value == 0 or not np.isfinite(value) or 1e-3 <= abs(value) < 1e3:
        return numbers.compact(value, 4)
    return numbers.scientific(value)


def fact_help(name: str) -> str:
    """Return what the fact *name* is relative to, as a formula; empty where its name says all."""
    code = f"evidence_fact.{name}.help"
    found = text(f"evidence_fact.{name}.help")
    return "" if found == code else found


def evidence_lines(suspect: Suspect, shape: tuple[int, ...] | None = None) -> list[tuple[str, str, bool]]:
    """Return name, value and whether it is beyond its limit, for all evidence of *suspect*.

    *shape* is that of the tensor it is about: elements are then named by their place in it.
    """
    return [
        (fact_name(name), _spelled(name, value, shape), _exceeds(suspect, name))
        for name, value in suspect.evidence.items()
    ]


def shape_of_row(cell: CellResult | None, row: int) -> tuple[int, ...] | None:
    """Return the shape of the tensor of *row*, the target's or else the golden's; ``None`` if not known."""
    if cell is None or row < 0:
        return None
    target, golden = int(cell.rows.target_slot[row]), int(cell.rows.golden_slot[row])
    if target >= 0:
        return cell.target.shape(target)
    return cell.golden.shape(golden) if golden >= 0 else None


def _spelled(name: str, value: Parameter, shape: tuple[int, ...] | None) -> str:
    if name == _ELEMENT and isinstance(value, int) and shape is not None:
        return numbers.location(value, shape)
    if name in _OVER_ALLOWED and not isinstance(value, str):
        ratio = numbers.times(value).removesuffix(" ×")
        return text("gui.diagnosis.over_allowed", ratio=ratio)
    return fact_value(value)


def _exceeds(suspect: Suspect, name: str) -> bool:
    value = suspect.evidence[name]
    limit = 1.0 if name in _OVER_ALLOWED else suspect.evidence.get(_LIMITS.get(name, ""))
    if isinstance(value, str) or limit is None or isinstance(limit, str):
        return False
    return not value <= limit  # NaN is beyond every limit


# ---- where it was called from


@dataclass(frozen=True)
class Caller:
    """The line of the user's own code that made a call."""

    frame: Frame | None
    of_forward: bool
    """Whether it is that of the forward call."""
    module: str
    """Name of the module call around it, empty when not known."""

    @property
    def place(self) -> str:
        """File, line and function."""
        return "" if self.frame is None else _place(self.frame)


def _place(frame: Frame) -> str:
    path = f"{frame.path}:{frame.line}" if frame.line else frame.path
    return f"{path} {frame.function}".strip()


def first_user_frame(frames: tuple[Frame, ...]) -> Frame | None:
    """Return the innermost frame outside of libraries; the innermost one where all are."""
    for frame in frames:
        if is_own(frame):
            return frame
    return frames[0] if frames else None


def caller_of(cell: CellResult, facts: Facts, suspect: Suspect, row: int) -> Caller:
    """Return who made the call of *suspect*, whose row in *cell* is *row* (-1: none)."""
    if row < 0:
        return Caller(None, False, _module_path(suspect.module or ""))
    stacks = stacks_of(cell, facts, row)
    module = suspect.module or _parent(cell, row)
    return Caller(first_user_frame(stacks.target or stacks.golden), stacks.of_forward, _module_path(module))


def _module_path(name: str) -> str:
    """Return ``model.h.14.mlp.MLP`` for ``Module.model.h.14.mlp.MLP.forward.0``."""
    return parse_operator_name(name).stem.removeprefix("Module.").removeprefix("Cell.")


def _parent(cell: CellResult, row: int) -> str:
    rows = cell.rows
    for dump, operators in ((cell.target, rows.target_operator), (cell.golden, rows.golden_operator)):
        operator = int(operators[row])
        if operator >= 0:
            return pool_text(dump.strings, int(dump.operators.parent[operator]))
    return ""


# ---- what follows


def inherited_after(cell: CellResult, facts: Facts, row: int) -> int:
    """Return how many rows after *row* differ because their inputs do."""
    inherits = (cell.rows.origin == Origin.INHERITED) & (facts.category == Category.INHERITED)
    return int(np.count_nonzero(inherits[max(row + 1, 0) :]))


def rows_text(sentence: str, count: int) -> str:
    """Return the sentence with this code about *count* rows, their number in groups of digits."""
    return text(sentence, count=count, rows=numbers.grouped(count))


@dataclass(frozen=True)
class Outcome:
    """What there is to say when nothing is held responsible."""

    category: Category
    """Whose mark stands before the sentence."""
    sentence: str
    details: tuple[str, ...]


def outcome_of(facts: Facts, explained: int) -> Outcome:
    """Return the outcome for a cell of which no suspect is open; *explained* are not counted against it.

    Good news only where rows were compared and none differs: what is not known is no pass.
    """
    counts = np.bincount(facts.category, minlength=len(Category))
    differing = int(sum(counts[category] for category in Category if category.differs))
    left_out = int(counts[Category.NOT_COMPARED])
    details = []
    if differing and explained:
        details.append(rows_text("gui.diagnosis.still_differ", differing))
    elif differing:
        details.append(rows_text("gui.diagnosis.unknown_origin", differing))
    if counts[Category.GOLDEN_INVALID]:
        details.append(rows_text("gui.diagnosis.golden_invalid", int(counts[Category.GOLDEN_INVALID])))
    if counts[Category.CLOSE]:
        details.append(rows_text("gui.diagnosis.within_noise", int(counts[Category.CLOSE])))
    if 0 < counts[Category.EQUAL] == len(facts) - left_out - int(counts[Category.IGNORED]):
        details.append(rows_text("gui.diagnosis.equal", int(counts[Category.EQUAL])))
    if left_out:
        details.append(rows_text("gui.diagnosis.left_out", left_out))
    if counts[Category.IGNORED]:
        details.append(rows_text("gui.diagnosis.ignored", int(counts[Category.IGNORED])))
    if explained:
        category, code = Category.CLOSE, "gui.diagnosis.all_explained"
    elif differing:
        category, code = Category.DIFFERS, "gui.diagnosis.nobody"
    elif counts[Category.GOLDEN_INVALID]:
        category, code = Category.GOLDEN_INVALID, "gui.diagnosis.nobody"
    elif left_out == len(facts):
        category, code = Category.NOT_COMPARED, "gui.diagnosis.nothing_compared"
    elif counts[Category.IGNORED]:
        category, code = Category.IGNORED, "gui.diagnosis.clean_but_ignored"
    else:
        category, code = Category.CLOSE, "gui.diagnosis.clean"
    return Outcome(category, text(code), tuple(details))


def evidence_text(suspect: Suspect, cell: CellResult | None, facts: Facts | None, row: int) -> str:
    """Return all that is known of *suspect* as Markdown, for a ticket or a mail."""
    lines = [f"**{render(suspect.message)}**", ""]
    where = [f"`{suspect.operator or suspect.golden_operator or '—'}`"]
    if suspect.slot:
        where.append(f"`{suspect.slot}`")
    lines += [f"{' '.join(where)} · {cell_label(suspect.cell)}", ""]
    lines += [f"{text(f'kind.{suspect.kind.value}')} · {text(f'proof.{suspect.proof.value}')}: "
              f"{text(f'proof.{suspect.proof.value}.help')}", ""]  # fmt: skip
    if suspect.evidence:
        lines += [f"| {text('gui.diagnosis.fact')} | {text('gui.diagnosis.value')} |", "| --- | ---: |"]
        lines += [
            f"| {name} | {_cell_text(value)} |"
            for name, value, _ in evidence_lines(suspect, shape_of_row(cell, row))
        ]
        lines.append("")
    if cell is not None and facts is not None and row >= 0:
        stacks = stacks_of(cell, facts, row)
        for code, frames in (("gui.target", stacks.target), ("gui.golden", stacks.golden)):
            if frames:
                lines += [f"{text('gui.diagnosis.stack', side=text(code))}", "", "```"]
                lines += [f"{_place(frame)}\n    {frame.code.strip()}" for frame in frames]
                lines += ["```", ""]
    return "\n".join(lines).rstrip() + "\n"


def _cell_text(value: str) -> str:
    return value.replace("|", "\\|").replace("\n", " ")
