"""Curves of trainings, how two of them lie on each other, and what is to be said about that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from core.errors import Problem
from core.messages import Message
from core.records.columns import Float64, Int64
from core.records.log_table import UnreadLine
from core.records.series import Series
from core.records.training import Judgement, Weight


class Curve(NamedTuple):
    """One value over the steps of one run."""

    steps: Int64
    """Ascending, each once."""
    values: Float64
    """One a step; NaN and infinities as they stand in the log."""


class Resume(NamedTuple):
    """The log goes back: the training was started again from a checkpoint."""

    step: int
    """First step that was run again."""
    repeated: int
    """Steps that the log holds twice; the later ones count."""


class RunKind(StrEnum):
    """Where the curves of a run come from."""

    LOG = "log"
    DUMP = "dump"
    """The output of the loss operator, over the dumped steps."""
    MONITOR = "monitor"


class Axis(StrEnum):
    """What two runs are laid on each other by."""

    STEP = "step"
    SAMPLES = "samples"
    TOKENS = "tokens"
    EPOCH = "epoch"
    COUNT = "count"
    """Records counted from the first one, as at least one log numbers none."""


@dataclass(frozen=True)
class LoggedRun:
    """What one training logged, each step once: after a resume the later word counts."""

    path: str
    kind: RunKind
    forms: tuple[str, ...]
    """Forms of lines that the log holds, sorted."""
    axis: Axis
    """What the steps are: :attr:`Axis.STEP`, :attr:`Axis.EPOCH` where the log knows epochs alone,
    :attr:`Axis.COUNT` where its records were counted, from 1.
    """
    curves: Mapping[str, Curve]
    """By :class:`~core.records.series.Series` or by the log's own name."""
    resumes: tuple[Resume, ...]
    ranks: tuple[int, ...]
    """Ranks that wrote to the log, as far as it says; the curves are those of the first one."""
    lines: int
    unread: int
    """Lines that begin like a record and could not be read."""
    unread_lines: tuple[UnreadLine, ...]
    superseded: int = 0
    """Records that a later one of the same step replaces."""
    source: Message | None = None
    """Which operator's output it is, where :attr:`kind` is a dump."""
    problems: tuple[Problem, ...] = ()

    @property
    def by_steps(self) -> tuple[Curve, ...]:
        """Curves whose places are steps for sure; a log may hold others, over samples or time."""
        known = tuple(self.curves[name] for name in Series if name in self.curves)
        return known or tuple(self.curves.values())

    @property
    def first_step(self) -> int:
        """The first step that the log tells of; 0 where it tells of none."""
        return min((int(curve.steps[0]) for curve in self.by_steps if len(curve.steps)), default=0)


class Level(NamedTuple):
    """Extremes of groups of neighbouring points."""

    low: Float64
    """Smallest finite value of each group, NaN where it has none."""
    high: Float64


@dataclass(frozen=True)
class Track:
    """A curve ready to be drawn at any zoom: no spike is lost, as the extremes of groups are kept."""

    x: Float64
    """Ascending."""
    y: Float64
    levels: tuple[Level, ...]
    """Groups of 16, 16 x 16 ... points."""
    broken: Int64
    """Indices of points that are not finite."""


class Phase(StrEnum):
    """Parts of a training that are judged apart."""

    FIRST = "first"
    WARM_UP = "warm_up"
    MIDDLE = "middle"
    TAIL = "tail"


@dataclass(frozen=True)
class Span:
    """How far target and golden are apart over some steps, both ends included."""

    first_step: int
    last_step: int
    steps: int
    """Steps at which both are finite."""
    mean_relative: float
    """Mean of |target − golden| / |golden|; NaN where nothing was compared."""
    mean_absolute: float
    bias: float
    """Mean of (target − golden) / |golden|: keeps its sign."""
    largest_relative: float
    largest_step: int


@dataclass(frozen=True)
class PhaseJudgement:
    """One phase, judged."""

    phase: Phase
    span: Span
    judgement: Judgement


class FindingName(StrEnum):
    """What can be found in curves; the name that scripts rely on."""

    FIRST_STEP = "first_step"
    OVER_LIMIT = "over_limit"
    OUTSIDE_BAND = "outside_band"
    DRIFT = "drift"
    BIAS = "bias"
    CONSTANT_RATIO = "constant_ratio"
    SPIKE = "spike"
    NO_CONVERGENCE = "no_convergence"
    SLOW_CONVERGENCE = "slow_convergence"
    HUGE_LOSS = "huge_loss"
    PERIODIC_SWING = "periodic_swing"
    NOT_FINITE = "not_finite"
    MISSING = "missing"
    """The log has steps without a loss where the other one has it."""
    CONSTANT = "constant"
    ZERO_LOSS = "zero_loss"
    SCALE_COLLAPSE = "scale_collapse"
    SCALE_SEARCH = "scale_search"
    """A dynamic loss scale falls at the start until it fits; its steps are skipped."""
    OVERFLOW_RATE = "overflow_rate"
    LEARNING_RATE = "learning_rate"
    BATCH_SIZE = "batch_size"
    METRIC = "metric"
    """Another value than the loss differs."""
    RESUMED = "resumed"
    JUMP_AT_RESUME = "jump_at_resume"
    OFFSET = "offset"
    INTERVAL = "interval"
    LENGTH = "length"
    AXIS = "axis"
    FEW_STEPS = "few_steps"
    GOLDEN_BROKEN = "golden_broken"
    SAME_DATA = "same_data"
    NO_LOSS = "no_loss"
    COVERAGE = "coverage"
    """Steps of the golden are missing in the target's log."""
    REPEATED = "repeated"
    BAND = "band"
    """A noise band decides instead of the limit."""
    SOURCE = "source"
    """Where a curve comes from that is no log's."""
    UNREAD_LINES = "unread_lines"
    RANKS = "ranks"
    """Several ranks wrote to one log."""


@dataclass(frozen=True)
class CurveFinding:
    """One thing to know about the curves."""

    name: FindingName
    weight: Weight
    """A fault makes the runs fail, a warning deserves a look, a note explains."""
    message: Message
    series: str = "loss"
    step: int | None = None
    """Where it begins, in the target's own numbering; ``None`` for the whole run."""
    last_step: int | None = None
    facts: Mapping[str, float | int | str] = field(default_factory=dict)
    """Numbers for scripts."""


@dataclass(frozen=True)
class DumpAdvice:
    """What to dump next to find the operator behind a finding."""

    step: int
    """As the target's log numbers it."""
    dump_step: int
    """As msprobe numbers it: from 0, the first step of the run."""
    forward: bool
    backward: bool
    counted: bool = False
    """The log has no step numbers: its records were counted, and there may be several steps to one."""

    @property
    def message(self) -> Message:
        """What to dump, as a sentence."""
        which = "both" if self.forward and self.backward else "forward" if self.forward else "backward"
        how = "_counted" if self.counted else ""
        return Message(f"curves.dump.{which}{how}", {"step": self.step, "dump_step": self.dump_step})


@dataclass(frozen=True)
class Alignment:
    """How the target was laid on the golden."""

    axis: Axis
    shift: int = 0
    """Added to the target's steps."""
    target_interval: int = 1
    golden_interval: int = 1
    """Steps between two records."""
    asked: bool = False
    """The user chose shift or axis."""
    averaged: str = ""
    """``"target"`` or ``"golden"``: the finer log, of which means over the other's intervals are compared."""


@dataclass(frozen=True)
class Paired:
    """One series of both runs at the places that both have."""

    x: Float64
    """Place on the common axis: the golden's numbering."""
    steps: Int64
    """The target's own step at each place."""
    target: Float64
    golden: Float64
    scale: Float64
    """What a difference is divided by at least, as the golden may be 0: a part of what is usual around."""
    rounding: float = 0.0
    """Difference that printing with few digits may make."""


@dataclass(frozen=True)
class NoiseBand:
    """How far runs of the golden lie apart, as a relative deviation that is allowed at each place."""

    x: Float64
    centre: Float64
    """Mean of the golden runs."""
    allowed: Float64
    """Absolute deviation from the centre that is still noise."""
    runs: int
    typical: float
    """Median of what is allowed, relative to the centre."""


@dataclass(frozen=True)
class SeriesJudgement:
    """How one series of the target lies on the golden's."""

    name: str
    paired: Paired
    whole: Span
    phases: tuple[PhaseJudgement, ...]
    judgement: Judgement
    first_bad_step: int | None
    band: NoiseBand | None = None


@dataclass(frozen=True)
class CurvesReport:
    """The answer for a target and a golden log."""

    target_path: str
    golden_path: str
    repeat_paths: tuple[str, ...]
    alignment: Alignment
    series: Mapping[str, SeriesJudgement]
    """What both runs log, the loss first."""
    verdict: Judgement
    steps: int
    """Places at which the two were compared."""
    first_bad_step: int | None
    """In the target's numbering."""
    sentence: Message
    findings: tuple[CurveFinding, ...]
    """Those that matter most first."""
    advice: tuple[DumpAdvice, ...]
    limits: Mapping[str, float]
    intervals: Mapping[str, int] = field(default_factory=dict)
    """Steps between the records of a log without numbers, by side, where they were found out."""
    problems: tuple[Problem, ...] = ()
