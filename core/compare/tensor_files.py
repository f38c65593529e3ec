"""Two tensor files compared, outside any dump."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.compare.measuring import MEASURED, judge_pair
from core.errors import InputError, Problem
from core.formats.tensors.opening import list_tensors, open_tensor
from core.messages import Message
from core.metrics.noise import NoiseTable
from core.metrics.patterns.engine import find_patterns
from core.metrics.patterns.pattern import Pattern
from core.metrics.tensor_metrics import TensorMetrics
from core.metrics.verdict import Judgement
from core.progress import Progress, Work
from core.records.result import CLASSES, Evidence, Reason, Verdict

_OWN_CODES = {"unknown_dtype": Reason.UNKNOWN_DTYPE}


@dataclass(frozen=True)
class TensorComparison:
    """What was found for one pair of tensors."""

    name: str
    """Name of the tensor in files that hold several; empty otherwise."""
    judgement: Judgement
    metrics: TensorMetrics | None
    target: str
    """Dtype and shape, such as ``float32 [4, 5]``; empty when it could not be read."""
    golden: str
    problems: tuple[Problem, ...] = ()
    shape: tuple[int, ...] = ()
    """Shape of the target."""
    patterns: tuple[Pattern, ...] = ()
    """Named shapes of the difference, best first."""

    @property
    def evidence(self) -> Evidence:
        """``full`` when both tensors were read."""
        return Evidence.NONE if self.problems else Evidence.FULL


def compare_tensor_files(
    target: str, golden: str, noise: NoiseTable, dtype: str | None = None
) -> Work[list[TensorComparison]]:
    """Compare the tensors of two files, by name where a file holds several.

    *dtype* says what raw two-byte elements are (``bfloat16`` or ``float16``). A file that cannot be read
    gives a row that is not compared, with the problem.
    """
    try:
        names_t, names_g = list_tensors(target), list_tensors(golden)
    except InputError as error:
        return [_unread("", (error.problem,))]
    if len(names_t) == len(names_g) == 1:
        return [(yield from _compare(target, golden, (None, None), noise, dtype))]
    found = []
    names = list(dict.fromkeys([*names_t, *names_g]))
    for index, name in enumerate(names):
        yield Progress(index, len(names), Message("progress.measure"))
        if name in names_t and name in names_g:
            found.append((yield from _compare(target, golden, (name, name), noise, dtype)))
        else:
            reason = Reason.TARGET_ONLY if name in names_t else Reason.GOLDEN_ONLY
            found.append(TensorComparison(name, Judgement(Verdict.NOT_COMPARED, reason), None, "", ""))
    return found


MetricValue = float | int | list[int] | dict[str, int]


def metrics_of(
    metrics: TensorMetrics | None, judgement: Judgement, shape: tuple[int, ...] = ()
) -> dict[str, MetricValue]:
    """Return the numbers of a pair by name, undefined ones left out, and its element classes.

    Flat indices of elements stand as indices of each dimension of *shape*, too: ``max_abs_at``.
    """
    found = {"error": judgement.error, "allowed": judgement.allowed}
    if metrics is not None:
        found |= {name: getattr(metrics, name) for name in MEASURED}
    values: dict[str, MetricValue] = {}
    for name, value in found.items():
        if value != value or (isinstance(value, int) and value < 0):
            continue
        values[name] = value
        if name.endswith("_index"):
            values[name.replace("_index", "_at")] = list(map(int, np.unravel_index(int(value), shape)))
    if metrics is not None and any(metrics.class_counts[1:]):
        values["classes"] = {
            f"{CLASSES[index // 4]}/{CLASSES[index % 4]}": number
            for index, number in enumerate(metrics.class_counts)
            if number
        }
    return values


def _compare(
    target: str, golden: str, members: tuple[str | None, str | None], noise: NoiseTable, dtype: str | None
) -> Work[TensorComparison]:
    name = members[0] or ""
    try:
        with (
            open_tensor(target, dtype=dtype, member=members[0]) as left,
            open_tensor(golden, dtype=dtype, member=members[1]) as right,
        ):
            judgement, metrics = judge_pair(left, right, noise)
            described = [f"{handle.dtype.name} {list(handle.shape)}" for handle in (left, right)]
            patterns = yield from find_patterns(left, right, noise)
            return TensorComparison(
                name,
                judgement,
                metrics,
                described[0],
                described[1],
                shape=tuple(left.shape),
                patterns=patterns,
            )
    except InputError as error:
        return _unread(name, (error.problem,))


def _unread(name: str, problems: tuple[Problem, ...]) -> TensorComparison:
    reason = _OWN_CODES.get(problems[0].code, Reason.UNREADABLE)
    return TensorComparison(name, Judgement(Verdict.NOT_COMPARED, reason), None, "", "", problems)
