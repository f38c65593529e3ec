"""One cell's result as the columns of a report: the official ones for its mode, then ours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.records.columns import ABSENT, Float64, Int32
from core.records.dump import STATISTICS, SlotGroup, SlotKind
from core.records.result import CLASSES, CellResult, Evidence, Origin, Reason, Verdict
from core.records.stacks import decode_stack
from core.report import official
from core.report.cells import mapped, may_be_formula, numbers, pooled, safe_text
from core.report.grading import IGNORED_APIS, IGNORED_INPUTS, Facts, grade, reached
from core.report.official import Mode
from core.report.sides import NOT_THERE, DumpTexts, Side

_TEXT_COLUMNS = frozenset(
    (
        *official.BASIC,
        *official.columns_of(Mode.LEGACY, with_stack=True)[:6],
        *official.CHECKSUMS,
        *official.GRADING,
    )
) | {official.STACK, official.DATA_NAME, official.REACHED, "Verdict", "Reason", "Evidence", "Origin"}


def mode_of(cell: CellResult) -> Mode:
    """Return which official table *cell* corresponds to: the best evidence that occurs decides."""
    if cell.target.format == "ptdbg" or cell.golden.format == "ptdbg":
        return Mode.LEGACY
    tensors = cell.target.slots.kind[cell.rows.target_slot[cell.rows.target_slot >= 0]] == SlotKind.TENSOR
    evidence = cell.rows.evidence[cell.rows.target_slot >= 0][tensors]
    if (evidence == Evidence.FULL).any():
        return Mode.TENSOR
    if (cell.target.slots.checksum >= 0).any() and (cell.golden.slots.checksum >= 0).any():
        return Mode.CHECKSUM
    return Mode.STATISTICS


def is_text(column: str) -> bool:
    """Whether *column* holds texts (to be quoted and made safe) rather than numbers."""
    return column in _TEXT_COLUMNS


def holds_text(column: str) -> bool:
    """Whether *column* may hold a text at all: the columns of statistics have those of arguments."""
    return column in _TEXT_COLUMNS or column in official.STATISTICS


class Report:
    """The report of one cell. Grades look at whole calls, so they are made once, for all rows."""

    def __init__(self, cell: CellResult, mode: Mode | None = None) -> None:
        self.cell = cell
        self.mode = mode or mode_of(cell)
        self.with_stack = bool((cell.target.operators.stack >= 0).any())
        self.names = (*official.columns_of(self.mode, with_stack=self.with_stack), *official.OURS)
        self._texts = DumpTexts(cell.target), DumpTexts(cell.golden)
        self._facts = _Rows(cell, np.arange(len(cell.rows)), self.mode, self._texts).facts()
        self._result, self._message = grade(self._facts, self.mode)
        self._first_of_call = np.r_[True, np.diff(self._facts.call) != 0][: len(cell.rows)]
        self._stack_texts: dict[int, str] = {ABSENT: NOT_THERE}

    def block(self, chosen: NDArray[np.int64]) -> dict[str, list[str]]:
        """Return the texts of the *chosen* rows by column, in the order of ``names``; not quoted, but
        safe from being taken for formulas.
        """
        part = _Rows(self.cell, chosen, self.mode, self._texts)
        made = part.basic() | part.metrics() | part.statistics() | part.ours()
        consistent = [
            "False" if differ else "True" for differ in self._facts.gradients_differ[chosen].tolist()
        ]
        result = [self._result[row] for row in chosen.tolist()]
        message = [self._message[row] for row in chosen.tolist()]
        made |= dict(zip(official.GRADING, (consistent, result, message)))
        made[official.REACHED] = reached(self._facts, part.measured, chosen)
        made[official.STACK] = self._stacks(part.rows.target_operator, self._first_of_call[chosen])
        return {name: _safe(made[name]) if is_text(name) else made[name] for name in self.names}

    def _stacks(self, operators: Int32, first: NDArray[np.bool_]) -> list[str]:
        """Return the target's stack on the first row of each call, ``N/A`` on the others."""
        stacks = np.append(self.cell.target.operators.stack, ABSENT)[operators]
        made = []
        for stack in np.where(first, stacks, ABSENT).tolist():
            if stack not in self._stack_texts:
                frames = decode_stack(self.cell.target.stacks[stack])
                self._stack_texts[stack] = str(
                    [f"File {f.path}, line {f.line}, in {f.function}, \n {f.code}" for f in frames]
                )
            made.append(self._stack_texts[stack])
        return made


def _safe(texts: list[str]) -> list[str]:
    return [safe_text(text) for text in texts] if may_be_formula(texts) else texts


class _Rows:
    """Some rows of a cell, column by column."""

    def __init__(
        self, cell: CellResult, chosen: NDArray[np.int64], mode: Mode, texts: tuple[DumpTexts, DumpTexts]
    ) -> None:
        self.cell, self.mode, self._chosen = cell, mode, chosen
        self.rows = cell.rows.take(chosen)
        self.target = Side(texts[0], self.rows.target_operator, self.rows.target_slot)
        self.golden = Side(texts[1], self.rows.golden_operator, self.rows.golden_slot)

    def basic(self) -> dict[str, list[str]]:
        parts = (self.target, self.golden)
        values = [
            [side.names() for side in parts],
            [side.dtypes.tolist() for side in parts],
            [side.shapes.tolist() for side in parts],
            [side.requires_grad() for side in parts],
        ]
        flat = [column for pair in values for column in pair]
        made = dict(zip(official.BASIC, flat))
        legacy = official.columns_of(Mode.LEGACY, with_stack=False)[:6]
        return made | dict(zip(legacy, flat))

    def metrics(self) -> dict[str, list[str]]:
        if self.mode is Mode.CHECKSUM:
            pairs = ((official.CHECKSUMS[0], self.target), (official.CHECKSUMS[1], self.golden))
            return {name: side.checksums() for name, side in pairs}
        if self.mode is Mode.STATISTICS:
            return self._differences()
        mismatch = (self.rows.reason == Reason.SHAPE) & (self.target.kind == SlotKind.TENSOR)
        made = {}
        sources = ("cosine", "euclidean", "max_abs", "max_rel", "share_below_1e3", "share_below_5e3")
        for name, source in zip(official.TENSOR_METRICS, sources):
            texts = numbers(getattr(self.rows, source), absent=~self.measured, word="unsupported")
            for index in np.flatnonzero(mismatch).tolist():
                texts[index] = "shape unmatched"
            made[name] = texts
        left, right = (
            pooled(side.texts.dump.strings, side.column("file"), "-1") for side in (self.target, self.golden)
        )
        made[official.DATA_NAME] = [str([first, second]) for first, second in zip(left, right)]
        return made

    @property
    def measured(self) -> NDArray[np.bool_]:
        """Rows whose tensors were read and compared element by element."""
        return self.rows.count >= 0

    def _differences(self) -> dict[str, list[str]]:
        made = {}
        for position, name in enumerate(STATISTICS):
            difference, relative = self._difference_texts(name)
            made[official.STATISTIC_DIFFERENCES[position]] = difference
            made[official.STATISTIC_DIFFERENCES[4 + position]] = relative
        return made

    def _difference_texts(self, name: str) -> tuple[list[str], list[str]]:
        """Return target − golden of statistic *name* and its size against the golden in per cent."""
        left, right = self.target.column(name, 0), self.golden.column(name, 0)
        known = self.target.has(name) & self.golden.has(name)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            difference = left - right
            relative = np.abs(difference / right) * 100
        same = (left == right) | (np.isnan(left) & np.isnan(right))
        difference[same], relative[same] = 0.0, 0.0
        special = ~np.isfinite(difference)
        relative[special] = difference[special]
        texts = numbers(difference, absent=~known, word=NOT_THERE)
        shares = [
            f"{text}%" if text[-1:].isdigit() and text != "0.0" else text
            for text in numbers(relative, absent=~known)
        ]
        both_none = (self.target.kind == SlotKind.NONE) & (self.golden.kind == SlotKind.NONE)
        both_tensors = (self.target.kind == SlotKind.TENSOR) & (self.golden.kind == SlotKind.TENSOR)
        neither = both_tensors & ~self.target.has(name) & ~self.golden.has(name)
        for index in np.flatnonzero(both_none | neither).tolist():
            texts[index] = shares[index] = "0"
        arguments = (self.target.kind == SlotKind.ARGUMENT) & (self.golden.kind == SlotKind.ARGUMENT)
        for index in np.flatnonzero(arguments).tolist():
            texts[index], shares[index] = _argument_difference(
                self.target.arguments[index], self.golden.arguments[index]
            )
        return texts, shares

    def statistics(self) -> dict[str, list[str]]:
        if self.mode is Mode.CHECKSUM:
            return {}
        columns = [side.statistic(name) for side in (self.target, self.golden) for name in STATISTICS]
        return dict(zip(official.STATISTICS, columns))

    def facts(self) -> Facts:
        """Return what the official rules look at."""
        rows, target, golden = self.rows, self.target, self.golden
        operator = np.where(rows.target_operator >= 0, rows.target_operator, -2 - rows.golden_operator)
        call = np.cumsum(np.r_[False, operator[1:] != operator[:-1]]).astype(np.int64)
        group = np.where(target.there, target.column("group", 0), golden.column("group", 0))
        matched = target.there & golden.there
        arguments = (target.kind == SlotKind.ARGUMENT) & (golden.kind == SlotKind.ARGUMENT)
        left, right = target.column("norm", 0), golden.column("norm", 0)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            norm = np.abs((left - right) / right)
        norm[left == right] = 0.0
        norm[~(target.has("norm") & golden.has("norm"))] = np.nan
        names = self._operator_names()
        apis = [_api(name) for name in names[1]]
        all_ignored = np.array([api in IGNORED_APIS for api in apis] + [False])[names[0]]
        inputs_ignored = np.array([api in IGNORED_INPUTS for api in apis] + [False])[names[0]]
        fused = np.array(["qkv" in name or "gate_up" in name for name in names[1]] + [False])[names[0]]
        is_output = group == SlotGroup.OUTPUT
        return Facts(
            call=call,
            matched=matched,
            is_output=is_output,
            ignored=all_ignored | (inputs_ignored & ~is_output),
            target_extremes=self._extremes(target),
            golden_extremes=self._extremes(golden),
            norm_relative=norm,
            below_thousandth=rows.share_below_1e3,
            cosine=rows.cosine,
            max_abs=rows.max_abs,
            gradients_differ=target.column("requires_grad") != golden.column("requires_grad"),
            scalars_differ=arguments
            & np.array([a != b for a, b in zip(target.arguments, golden.arguments)], bool),
            checksums_differ=np.array([a != b for a, b in zip(target.checksums(), golden.checksums())], bool),
            dtypes_differ=matched & (target.dtypes != golden.dtypes),
            shapes_differ=matched & (target.shapes != golden.shapes),
            fused_name=fused,
        )

    @staticmethod
    def _extremes(side: Side) -> Float64:
        values = [np.where(side.has(name), side.column(name, 0), 0.0) for name in ("max", "min")]
        return np.stack(values, axis=1)

    def _operator_names(self) -> tuple[NDArray[np.int64], list[str]]:
        """Return for each row an index into the different operator names of the target, -1 for none."""
        ids = np.append(self.cell.target.operators.name, ABSENT)[self.rows.target_operator]
        different, inverse = np.unique(ids, return_inverse=True)
        names = [self.cell.target.strings[index] for index in different.tolist()]
        return inverse.astype(np.int64), names

    def ours(self) -> dict[str, list[str]]:
        rows, count = self.rows, len(self.rows)
        made = {
            "Step": [str(self.cell.key.step)] * count,
            "Rank": [str(self.cell.key.rank)] * count,
            "Verdict": mapped(rows.verdict, _words(Verdict)),
            "Reason": mapped(rows.reason, _words(Reason)),
            "Evidence": mapped(rows.evidence, _words(Evidence)),
            "Origin": mapped(rows.origin, _words(Origin) | {int(Origin.UNKNOWN): ""}),
        }
        sources = {
            "Error": "error",
            "Allowed": "allowed",
            "Relative L2": "relative_l2",
            "RMSE": "rmse",
            "MAE": "mae",
            "Max abs index": "max_abs_index",
            "Max rel index": "max_rel_index",
            "Sign flips": "sign_flips",
            "NPU zeros": "target_zeros",
            "Bench zeros": "golden_zeros",
            "Equal": "equal_count",
            "Compared": "count",
        }
        for name, source in sources.items():
            values = getattr(rows, source)
            made[name] = numbers(
                values, absent=np.isnan(values) if values.dtype.kind == "f" else values < 0, word=""
            )
        return made | self._special_counts()

    def _special_counts(self) -> dict[str, list[str]]:
        """Return how many NaN, +Inf and −Inf each side has; 0 where tensors were compared and have none."""
        counts = np.zeros((len(self.cell.rows) + 1, 16), np.int64)
        counts[self.cell.class_counts.row] = self.cell.class_counts.counts
        square = counts[self._chosen].reshape(-1, len(CLASSES), len(CLASSES))
        made = {}
        for side, totals in (("NPU", square.sum(axis=2)), ("Bench", square.sum(axis=1))):
            for position, label in ((1, "NaN"), (2, "+Inf"), (3, "-Inf")):
                made[f"{side} {label}"] = numbers(totals[:, position], absent=~self.measured, word="")
        return made


def _api(name: str) -> str:
    """Return the API of a call's name, ``conv2d`` of ``Functional.conv2d.0.forward``; quick, for many."""
    return name.rsplit(".", 3)[-3] if name.count(".") >= 3 else name


def _words(members: type[Verdict] | type[Reason] | type[Evidence] | type[Origin]) -> dict[int, str]:
    return {int(member): member.name.lower() for member in members}


def _argument_difference(left: str, right: str) -> tuple[str, str]:
    """Return difference and relative difference of two arguments as the official table has them."""
    if left == right:
        return "0", "0"
    try:
        first, second = float(left), float(right)
    except ValueError:
        return "Diff", "Diff"
    return repr(first - second), f"{abs((first - second) / second) * 100!r}%" if second else "inf"
