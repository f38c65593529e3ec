"""Which number of the target belongs to which of the golden, and how far they are apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.curves.trends.scale import rounding_of, scale_of
from core.formats.monitors.database import BOUND
from core.formats.monitors.joint_key import joint_key
from core.formats.monitors.model_order import merged
from core.records.columns import Float64, Int32, Int64
from core.records.log_table import UNSAID
from core.records.trends import Bool, TrendTable


@dataclass(frozen=True)
class PairedNumbers:
    """All numbers of one metric that either side has, one a row."""

    layer: Int64
    """Index into :attr:`Sides.labels`."""
    step: Int64
    """As the target numbers it."""
    rank: Int32
    micro: Int32
    target: Float64
    golden: Float64
    """NaN where the side has none."""
    in_target: Bool
    in_golden: Bool
    unknown: Bool
    """Both stand cut at the same bound, so that nothing can be said."""
    scale: Float64
    """What differences are measured by, at least; see :func:`~core.curves.trends.scale.scale_of`."""
    rounding: float
    """Unit of the last digit that the files hold, 0 where they hold all."""

    @cached_property
    def both(self) -> Bool:
        """Both sides have the number, and something can be said."""
        return self.in_target & self.in_golden & ~self.unknown

    @cached_property
    def golden_broken(self) -> Bool:
        """The golden is NaN or infinite, and the target is not so too."""
        wrong = np.isnan(self.golden) & ~np.isnan(self.target)
        found: Bool = self.both & (wrong | (np.isinf(self.golden) & ~np.isinf(self.target)))
        return found

    @cached_property
    def compared(self) -> Bool:
        """Both sides have the number, and the golden's is one to compare with."""
        return self.both & ~self.golden_broken

    @cached_property
    def target_broken(self) -> Bool:
        """The target alone is NaN or infinite, or infinite with the other sign."""
        finite = np.isfinite(self.golden)
        turned = np.isinf(self.golden) & np.isinf(self.target) & (self.golden != self.target)
        found: Bool = self.both & ((finite & ~np.isfinite(self.target)) | turned)
        return found

    @cached_property
    def relative(self) -> Float64:
        """(target − golden) / max(|golden|, scale): 0 where both are the same, also NaN; infinite where the
        target alone is; NaN where exactly one is NaN, the golden alone is infinite, or one is missing.
        """
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            made = (self.target - self.golden) / np.maximum(np.abs(self.golden), self.scale)
        turned = np.isinf(self.target) & (np.isfinite(self.golden) | (self.target == -self.golden))
        made = np.where(turned, self.target, made)
        alike = (self.target == self.golden) | (np.isnan(self.target) & np.isnan(self.golden))
        made[alike] = 0.0
        made[~self.both | self.golden_broken] = np.nan
        return made

    def over(self, limit: float) -> Bool:
        """Return which numbers differ by more than *limit*, or are broken on the target alone.

        What the digits of the files cannot tell apart is not counted.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            told_apart = np.abs(self.target - self.golden) > self.rounding * (1 + 1e-9)
            return self.target_broken | (self.compared & (np.abs(self.relative) > limit) & told_apart)


class Sides:
    """Target and golden with one numbering of layers, steps and ranks.

    Parameters
    ----------
    target, golden
        The tables.
    shift
        Added to the target's steps to find the golden's.
    """

    def __init__(self, target: TrendTable, golden: TrendTable, shift: int = 0) -> None:
        self.target, self.golden, self.shift = target, golden, shift
        numbers: dict[str, int] = {}
        orders = [
            [numbers.setdefault(label, len(numbers)) for label in table.labels] for table in (target, golden)
        ]
        order = merged(orders)
        place = np.empty(len(numbers), np.int64)
        place[order] = np.arange(len(order))
        names = list(numbers)
        self.labels = tuple(names[number] for number in order)
        """Labels of the layers of either side, in the order of the model."""
        self._target_layer, self._golden_layer = (place[np.array(ids, np.int64)] for ids in orders)
        self._one_rank = len(target.ranks) == len(golden.ranks) == 1

    @property
    def metrics(self) -> tuple[str, ...]:
        """Metrics of either side, the target's first."""
        return tuple(dict.fromkeys((*self.target.metrics, *self.golden.metrics)))

    def kind(self, metric: str) -> str:
        """Return the kind of *metric*."""
        table = self.target if metric in self.target.metrics else self.golden
        return table.kinds[table.metrics.index(metric)]

    def golden_rank(self, rank: int) -> int:
        """Return the golden's rank that the target's *rank* is compared with; one alone with one alone."""
        return self.golden.ranks[0] if self._one_rank else rank

    def paired(self, metric: str, *, rank: int | None = None, step: int | None = None) -> PairedNumbers:
        """Return the numbers of *metric*, of one of the target's ranks or steps where given."""
        target, golden = self.target, self.golden
        t_rows, g_rows = (_rows(table, metric) for table in (target, golden))
        if rank is not None:
            t_rows = t_rows[target.rank[t_rows] == rank]
            g_rows = g_rows[golden.rank[g_rows] == self.golden_rank(rank)]
        if step is not None:
            t_rows = t_rows[target.step[t_rows] == step]
            g_rows = g_rows[golden.step[g_rows] == step + self.shift]
        g_rank = golden.rank[g_rows]
        if self._one_rank:
            g_rank = np.full(len(g_rank), target.ranks[0], np.int32)
        columns: list[NDArray[Any]] = [
            np.concatenate(pair)
            for pair in (
                (target.rank[t_rows], g_rank),
                (target.step[t_rows], golden.step[g_rows] - self.shift),
                (self._target_layer[target.layer[t_rows]], self._golden_layer[golden.layer[g_rows]]),
                (_micro_steps(target, t_rows), _micro_steps(golden, g_rows)),
            )
        ]
        _, first, place = np.unique(joint_key(columns), return_index=True, return_inverse=True)
        t_place, g_place = place[: len(t_rows)], place[len(t_rows) :]
        size = len(first)
        values = {
            "target": _spread(target.value[t_rows], t_place, size),
            "golden": _spread(golden.value[g_rows], g_place, size),
        }
        cut = np.zeros(size, np.bool_)
        cut[t_place] |= target.clipped[t_rows]
        cut[g_place] |= golden.clipped[g_rows]
        in_target, in_golden = np.zeros(size, np.bool_), np.zeros(size, np.bool_)
        in_target[t_place], in_golden[g_place] = True, True
        rounding = max(rounding_of(target, metric), rounding_of(golden, metric))
        return PairedNumbers(
            layer=columns[2][first],
            step=columns[1][first],
            rank=columns[0][first],
            micro=columns[3][first],
            **values,
            in_target=in_target,
            in_golden=in_golden,
            unknown=cut & _same_bound(values["target"], values["golden"]),
            scale=_spread(scale_of(golden, metric)[g_rows - golden.rows_of(metric).start], g_place, size),
            rounding=rounding,
        )


def _rows(table: TrendTable, metric: str) -> Int64:
    rows = table.rows_of(metric)
    return np.arange(rows.start, rows.stop)


def _micro_steps(table: TrendTable, rows: Int64) -> Int32:
    """Return the micro-steps; where there is but one, its number says nothing."""
    micro = table.micro_step[rows]
    return micro if len(micro) and (micro != micro[0]).any() else np.full(len(micro), UNSAID, np.int32)


def _spread(values: Float64, place: Int64, size: int) -> Float64:
    made = np.full(size, np.nan)
    made[place] = values
    return made


def _same_bound(target: Float64, golden: Float64) -> Bool:
    """Whether both are finite, of one sign, and as large as the bound of a database."""
    least = np.minimum(np.abs(target), np.abs(golden)) >= BOUND
    finite = np.isfinite(target) & np.isfinite(golden)
    found: Bool = least & finite & (np.sign(target) == np.sign(golden))
    return found
