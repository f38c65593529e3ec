"""Statistics of every layer over the steps and ranks of a training, and how two trainings compare in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.errors import Problem
from core.messages import Message
from core.records.columns import Float64, Int32, Int64, Table, column
from core.records.training import Judgement, Weight

Bool = NDArray[np.bool_]


class UnreadRow(NamedTuple):
    """A row of a file that could not be read."""

    path: str
    number: int
    """Counted from 1; the line of a csv file, the row of a database."""
    text: str
    """The row, shortened."""


@dataclass(frozen=True)
class TrendTable:
    """What a monitor wrote of one training, a row a number.

    Rows are sorted by metric, rank, step, layer and micro-step, and there is one for each of these at most.
    """

    path: str
    forms: Mapping[str, int]
    """How many rows of files have which form (``monitor``, ``monitor_v2``, ``grad_probe``, ``trend_db``)."""
    layers: tuple[str, ...]
    """Names in the order of the model: as they appear in the forward pass, where it was recorded."""
    stages: Int32
    """Virtual pipeline stage of each of :attr:`layers`; a name may occur once in every stage."""
    metrics: tuple[str, ...]
    """Kind and statistic: ``grad_reduced.norm``, ``module.forward.output.max``."""
    kinds: tuple[str, ...]
    """Kind of each of :attr:`metrics`: ``grad_reduced``, ``module.forward.output``."""
    layer: Int32
    """Index into :attr:`layers`."""
    metric: Int32
    """Index into :attr:`metrics`."""
    step: Int64
    rank: Int32
    """0 where neither a file nor a folder says."""
    micro_step: Int32
    """:data:`~core.records.log_table.UNSAID` where the metric has none."""
    value: Float64
    """NaN and infinities as they were recorded."""
    clipped: Bool
    """The value was cut to the bounds of a trend database: the true one is unknown, but as large at least."""
    rows: int
    """Rows of files that were read, each with one number or more."""
    replaced: int
    """Numbers that a later file, or a later run of the same step, says anew; the later ones count."""
    unread: int
    """Rows of files that could not be read."""
    unread_rows: tuple[UnreadRow, ...] = ()
    """The first of them."""
    problems: tuple[Problem, ...] = ()

    def __len__(self) -> int:
        return len(self.value)

    @property
    def vpp_stage(self) -> Int32:
        """Virtual pipeline stage of each row."""
        return self.stages[self.layer]

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the layers with their stage before them (``1:layers.0``) where it is not 0."""
        stages = self.stages.tolist()
        return tuple(f"{stage}:{name}" if stage > 0 else name for name, stage in zip(self.layers, stages))

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """Ranks that occur, ascending."""
        return tuple(np.unique(self.rank).tolist())

    @cached_property
    def steps(self) -> Int64:
        """Steps that occur, ascending."""
        return np.unique(self.step)

    def rows_of(self, metric: str) -> slice:
        """Return where the rows of *metric* stand; an empty slice where there are none."""
        if metric not in self.metrics:
            return slice(0, 0)
        number = self.metrics.index(metric)
        start, end = np.searchsorted(self.metric, (number, number + 1)).tolist()
        return slice(start, end)


class GridAxis(StrEnum):
    """What the columns of a grid are."""

    STEP = "step"
    RANK = "rank"


@dataclass(frozen=True)
class TrendGrid:
    """One metric, layers down and steps or ranks across."""

    metric: str
    axis: GridAxis
    layers: tuple[str, ...]
    """Labels of the layers, one a row; see :attr:`TrendTable.labels`."""
    places: Int64
    """Steps or ranks, one a column, ascending."""
    values: Float64
    """Rows × columns; NaN where nothing was recorded, or NaN was."""
    present: Bool
    """Rows × columns: something was recorded."""


@dataclass(frozen=True)
class TrendDifference:
    """One metric of target and golden over the layers and places that either has."""

    target: TrendGrid
    golden: TrendGrid
    relative: TrendGrid
    """(target − golden) / max(|golden|, scale), present where both sides are; NaN where exactly one side is
    NaN, or nothing can be said. Of several micro-steps the one that is farthest apart is shown in all three.
    """
    target_only_layers: tuple[str, ...]
    golden_only_layers: tuple[str, ...]
    target_only_places: Int64
    golden_only_places: Int64


@dataclass(frozen=True)
class GridBlocks:
    """A grid reduced for drawing: no extreme and no NaN is lost."""

    values: Float64
    """The value of largest magnitude of each block with its sign, infinities too; NaN where it has none."""
    present: Bool
    """Something in the block was recorded."""
    broken: Bool
    """Something in the block was recorded as NaN."""
    row_edges: Int64
    """First row of each block, and the end of the last one."""
    column_edges: Int64


class TrendPlace(NamedTuple):
    """One number of both sides."""

    metric: str
    layer: str
    step: int
    """As the target numbers it."""
    rank: int
    micro_step: int
    target: float
    golden: float
    relative: float


@dataclass(frozen=True)
class TrendJudgements(Table):
    """How each layer fares in each metric over all steps and ranks; one row a pair of these."""

    metric: Int32 = column(np.int32)
    """Index into :attr:`TrendsReport.metrics`."""
    layer: Int32 = column(np.int32)
    """Index into :attr:`TrendsReport.layers`."""
    compared: Int64 = column(np.int64)
    """Numbers that both sides have and that could be compared."""
    over: Int64 = column(np.int64)
    """Of these, how many differ by more than the limit, or are NaN or infinite on the target alone."""
    golden_broken: Int64 = column(np.int64)
    """Numbers that are NaN or infinite on the golden alone."""
    clipped: Int64 = column(np.int64)
    """Numbers that both sides cut to the same bound, so that nothing can be said."""
    target_only: Int64 = column(np.int64)
    golden_only: Int64 = column(np.int64)
    first_bad_step: Int64 = column(np.int64)
    """As the target numbers it; -1 where nothing is over the limit."""
    worst: Float64 = column(np.float64)
    """Largest |relative difference|, infinite where the target alone is NaN or infinite; 0 where none."""
    worst_step: Int64 = column(np.int64)
    worst_rank: Int32 = column(np.int32)


class TrendFindingName(StrEnum):
    """What can be found in trends; the name that scripts rely on."""

    FIRST_LAYER = "first_layer"
    NOT_FINITE = "not_finite"
    GOLDEN_BROKEN = "golden_broken"
    RANK_STANDS_OUT = "rank_stands_out"
    MISSING_LAYERS = "missing_layers"
    MISSING_METRICS = "missing_metrics"
    MISSING_STEPS = "missing_steps"
    MISSING_RANKS = "missing_ranks"
    MISSING_NUMBERS = "missing_numbers"
    NOTHING_COMMON = "nothing_common"
    CLIPPED = "clipped"
    ROUNDED = "rounded"
    """The files hold so few digits that small numbers cannot be compared."""
    SAME_DATA = "same_data"
    REPEATED = "repeated"
    UNREAD_ROWS = "unread_rows"


@dataclass(frozen=True)
class TrendFinding:
    """One thing to know about the trends."""

    name: TrendFindingName
    weight: Weight
    """A fault makes the runs fail, a warning deserves a look, a note explains."""
    message: Message
    metric: str = ""
    layer: str = ""
    step: int | None = None
    """As the target numbers it; ``None`` for the whole run."""
    rank: int | None = None
    facts: Mapping[str, float | int | str] = field(default_factory=dict)
    """Numbers for scripts."""


@dataclass(frozen=True)
class TrendsReport:
    """The answer for the trends of a target and a golden."""

    target_path: str
    golden_path: str
    verdict: Judgement
    sentence: Message
    layers: tuple[str, ...]
    """Labels of all layers of either side, in the order of the model."""
    metrics: tuple[str, ...]
    """All metrics of either side, in the order in which a step runs through them."""
    judgements: TrendJudgements
    first_bad: TrendPlace | None
    """Earliest step, then the order in which a step computes: forward down the model, backward up."""
    steps: int
    """Steps at which something was compared."""
    compared: int
    over: int
    golden_broken: int
    clipped: int
    target_only: int
    """Numbers that only the target has."""
    golden_only: int
    limit: float
    shift: int
    """Added to the target's steps to find the golden's."""
    findings: tuple[TrendFinding, ...]
    """Those that matter most first."""
    problems: tuple[Problem, ...] = ()
