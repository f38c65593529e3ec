"""A factor of each row, each column, both, or each index of an axis: norms, eps and scales on one side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.messages import Message
from core.metrics.patterns.evidence import Evidence
from core.metrics.patterns.limits import AXIS, CHUNK, SAMPLE
from core.metrics.patterns.pair import Block, Pair, Values
from core.metrics.patterns.pattern import Number, Pattern, PatternName
from core.metrics.patterns.places import locate, word_of
from core.metrics.patterns.ranks import rank_correlation
from core.metrics.patterns.trial import Trial, chance_of
from core.progress import Work

_ROUNDS = 3
"""Alternating fits of row and column factors, after their medians."""
_NORM_SPREAD = 0.02
"""Relative spread of factor × root mean square of a row where a norm made it."""
_VARIES = 0.05
"""Relative spread from which a quantity counts as varying."""
_MONOTONE = 0.9
_PIECES = 32
"""Most groups of rows that are looked at first."""
_FEWEST_ROWS = 4
"""Rows on which factors of columns are fitted, however long they are."""

_BY_ROW = (PatternName.ROW_FACTOR, PatternName.ROW_COLUMN_FACTOR)

Factors = Callable[[Values, Values, Block], Values]
"""From target, golden and block to the factor of each of its elements (broadcast)."""


@dataclass(frozen=True, slots=True)
class _Hypothesis:
    name: PatternName
    axis: int
    parameters: int
    """Numbers fitted for all elements."""
    factors: Factors


def find_factors(pair: Pair, evidence: Evidence) -> Work[list[Pattern]]:
    """Return the factors that explain the difference, the simplest kind first."""
    if pair.complex or pair.exact or pair.size < 8 or not evidence.gg or not evidence.tt:
        return []
    extra = evidence.extents["extra"].count
    if extra > 0.01 * evidence.bad and locate(pair, evidence, "extra") is None:
        return []
    pieces = _pieces(pair)
    yield pair.progress(0)
    for hypothesis in _hypotheses(pair, evidence, pieces):
        yield pair.progress(0)
        trial, chance, used = _tried(pair, pieces, hypothesis)
        if not trial.convincing(chance, used):
            continue
        rows: list[Values] = []
        known = 0
        whole = Trial(pair)
        for block in pair.blocks():
            t, g = (side.astype(np.float64) for side in pair.block(block))
            factors = hypothesis.factors(t, g, block)
            _add(whole, t, g, factors)
            if known < AXIS:
                rows.append(_row_facts(g, factors))
                known += len(g)
            yield pair.progress(block.top * pair.columns + block.right)
        facts = np.concatenate(rows, axis=1) if rows else np.empty((2, 0))
        if whole.convincing(chance, hypothesis.parameters) and _scaled(pair, hypothesis, evidence, facts):
            share = whole.share * (1.0 - evidence.extents["extra"].count / max(evidence.bad, 1))
            return [_told(pair, hypothesis, max(share, 0.0), evidence, facts)]
    return []


def _add(trial: Trial, t: Values, g: Values, factors: Values) -> None:
    # A golden zero has no factor; where many of them stand against other values, that is told beside it.
    keep = np.isfinite(t) & np.isfinite(g) & ((g != 0) | (t == 0))
    wide = np.broadcast_to(factors, t.shape)
    trial.factor = np.abs(wide[keep])
    trial.add(t[keep], g[keep], (g * factors)[keep])


def _pieces(pair: Pair) -> list[tuple[Block, Values, Values]]:
    """Return even blocks of the pair, of whole rows where they are not too long."""
    wanted = min(pair.rows, max(SAMPLE // pair.columns, _FEWEST_ROWS))
    height = -(-wanted // _PIECES)
    number = -(-wanted // height)
    right = min(pair.columns, CHUNK)
    tops = sorted({(2 * at + 1) * (pair.rows - height) // (2 * number) for at in range(number)})
    blocks = [Block(top, top + height, 0, right) for top in tops] if wanted < pair.rows else []
    found = []
    for block in blocks or [Block(0, pair.rows, 0, right)]:
        t, g = (side.astype(np.float64) for side in pair.block(block))
        found.append((block, t, g))
    return found


def _hypotheses(
    pair: Pair, evidence: Evidence, pieces: list[tuple[Block, Values, Values]]
) -> list[_Hypothesis]:
    found = []
    inner = 1
    for axis in range(pair.axes - 1, -1, -1):
        sums, length = evidence.axes[axis], pair.shape[axis]
        if sums is not None and 1 < length < pair.size:
            factor = np.where(sums.gg > 0, sums.tg / sums.gg, 1.0)
            last, matrix = axis == pair.axes - 1, pair.axes == 2
            name = PatternName.COLUMN_FACTOR if last else PatternName.AXIS_FACTOR
            name = PatternName.ROW_FACTOR if matrix and not last else name
            if name is not PatternName.ROW_FACTOR or pair.columns > CHUNK:
                found.append(_Hypothesis(name, axis, length, _of_axis(factor, inner, last)))
        inner *= 1 if axis == pair.axes - 1 else pair.shape[axis]
    if pair.columns <= CHUNK and pair.rows > 1 and pair.columns > 1:
        found.append(_Hypothesis(PatternName.ROW_FACTOR, 0, pair.rows, _by_row(np.ones(pair.columns))))
        t = np.concatenate([piece[1] for piece in pieces])
        g = np.concatenate([piece[2] for piece in pieces])
        parameters = pair.rows + pair.columns
        factors = _by_row(_column_factors(t, g))
        found.append(_Hypothesis(PatternName.ROW_COLUMN_FACTOR, 0, parameters, factors))
    return found


def _of_axis(factor: Values, inner: int, last: bool) -> Factors:
    """Return the factors of one axis, at each index of which *inner* rows of the matrix follow each other."""

    def factors(t: Values, g: Values, block: Block) -> Values:
        if last:
            return np.asarray(factor[None, block.left : block.right])
        rows = np.arange(block.top, block.bottom)
        return np.asarray(factor[rows // inner % len(factor)][:, None])

    return factors


def _by_row(column: Values) -> Factors:
    """Return factors of which the column's are known and each row's is fitted to its elements."""

    def factors(t: Values, g: Values, block: Block) -> Values:
        scaled = g * column
        keep = np.isfinite(t) & np.isfinite(scaled)
        scaled, t = np.where(keep, scaled, 0.0), np.where(keep, t, 0.0)
        size = (scaled * scaled).sum(axis=1)
        row = np.where(size > 0, (t * scaled).sum(axis=1) / size, 1.0)
        return np.asarray(row[:, None] * column)

    return factors


def _column_factors(t: Values, g: Values) -> Values:
    """Return the column factors that, with a factor for each row, bring *g* nearest to *t*.

    Medians of the ratios come first: of exact factors they are exact. Alternating least squares mend them
    where there is noise.
    """
    keep = np.isfinite(t) & np.isfinite(g)
    t, g = np.where(keep, t, 0.0), np.where(keep, g, 0.0)
    size = np.sqrt((g * g).sum(axis=1, keepdims=True))
    size = np.where(size > 0, size, 1.0)
    t, g = t / size, g / size
    column = _medians(t / g)
    for _ in range(_ROUNDS):
        scaled = g * column
        inside = (scaled * scaled).sum(axis=1)
        row = np.where(inside > 0, (t * scaled).sum(axis=1) / inside, 0.0)[:, None]
        scaled = g * row
        inside = (scaled * scaled).sum(axis=0)
        column = np.where(inside > 0, (t * scaled).sum(axis=0) / inside, 1.0)
        middle = float(np.median(np.abs(column)))
        column = column / (middle if middle > 0 else 1.0)
    return np.asarray(column)


def _medians(ratios: Values) -> Values:
    """Return the factor of each column of *ratios*, up to a common one; 1 where there is none."""
    known = np.isfinite(ratios) & (ratios != 0)
    whole = np.where(known, np.abs(ratios), np.nan)
    whole[~known.any(axis=1)] = 1.0
    row = np.nanmedian(whole, axis=1, keepdims=True)
    rest = np.where(known, ratios / row, np.nan)
    rest[:, ~known.any(axis=0)] = 1.0
    return np.asarray(np.nanmedian(rest, axis=0))


def _tried(
    pair: Pair, pieces: list[tuple[Block, Values, Values]], hypothesis: _Hypothesis
) -> tuple[Trial, float, int]:
    """Return the trial on the sample, the chance of agreement, and the parameters fitted to the sample."""
    trial = Trial(pair)
    kept_t, kept_e, kept_f = [], [], []
    for block, t, g in pieces:
        factors = hypothesis.factors(t, g, block)
        _add(trial, t, g, factors)
        expected = g * factors
        bad = np.abs(t - g) > pair.tolerance(g)
        kept_t.append(t[bad])
        kept_e.append(expected[bad])
        kept_f.append(np.abs(np.broadcast_to(factors, t.shape)[bad]))
    t, expected = np.concatenate(kept_t), np.concatenate(kept_e)
    chance = chance_of(pair, t, expected, np.concatenate(kept_f))
    rows = sum(block.bottom - block.top for block, _, _ in pieces)
    used = {
        PatternName.ROW_FACTOR: rows,
        PatternName.ROW_COLUMN_FACTOR: rows + pair.columns,
    }.get(hypothesis.name, min(hypothesis.parameters, trial.total))
    return trial, chance, used


def _row_facts(g: Values, factors: Values) -> Values:
    """Return for each row its median factor and its golden root mean square, float64[2, rows]."""
    finite = np.isfinite(g)
    number = np.maximum(finite.sum(axis=1), 1)
    size = np.sqrt((np.where(finite, g, 0.0) ** 2).sum(axis=1) / number)
    middle = np.median(np.broadcast_to(factors, g.shape), axis=1)
    return np.stack([middle, size])


def _by_axis(evidence: Evidence, axis: int) -> tuple[Values, Values]:
    """Return the factor of each index of *axis*, and the golden's sum of squares there."""
    sums = evidence.axes[axis]
    assert sums is not None
    return np.where(sums.gg > 0, sums.tg / sums.gg, 1.0), sums.gg


def _scaled(pair: Pair, hypothesis: _Hypothesis, evidence: Evidence, rows: Values) -> bool:
    """Return whether most factors are factors: not 1, and not 0, which is zeros of one side."""
    factors, sizes = rows if hypothesis.name in _BY_ROW else _by_axis(evidence, hypothesis.axis)
    known = np.isfinite(factors) & (sizes > 0)
    moved = known & (factors != 0) & (np.abs(factors - 1.0) > pair.relative / 4.0)
    return bool(2 * np.count_nonzero(moved) > factors.size)


def _told(pair: Pair, hypothesis: _Hypothesis, share: float, evidence: Evidence, rows: Values) -> Pattern:
    name = hypothesis.name
    by_row = name in _BY_ROW
    factors = rows[0] if by_row else _by_axis(evidence, hypothesis.axis)[0]
    low, middle, high = (float(np.quantile(factors, at)) for at in (0.0, 0.5, 1.0))
    numbers: dict[str, Number] = {"axis": hypothesis.axis, "smallest": low, "median": middle, "largest": high}
    parameters = {"smallest": low, "median": middle, "largest": high, "axis": hypothesis.axis}
    if name is PatternName.AXIS_FACTOR or (not by_row and pair.axes != 2):
        message = Message("pattern.axis_factor", parameters)
    elif name is PatternName.COLUMN_FACTOR:
        message = Message("pattern.column_factor", parameters)
    else:
        hint = _hint(rows, name)
        numbers["hint"] = hint
        both = name is PatternName.ROW_COLUMN_FACTOR
        message = (
            Message(f"pattern.row_column_factor.{hint}", parameters)
            if both
            else Message(f"pattern.row_factor.{hint}", parameters)
        )
    if by_row and word_of(pair, 0) == "axis":
        numbers["axis"] = None
    return Pattern(name, message, numbers, (), share)


def _hint(rows: Values, name: PatternName) -> str:
    """Return what the factors of the rows look like: ``norm``, ``eps`` or ``plain``."""
    rows = rows[:, np.isfinite(rows).all(axis=0) & (rows[1] > 0)]
    if rows.shape[1] < 4:
        return "plain"
    factors, sizes = np.abs(rows[0]), rows[1]
    if _spread(factors) > _VARIES:
        normed = _spread(factors * sizes) < _NORM_SPREAD * 2 or _spread(sizes) < _NORM_SPREAD
        if name is PatternName.ROW_COLUMN_FACTOR or (normed and _spread(sizes) > _VARIES):
            return "norm"
    small = rank_correlation(factors, sizes) > _MONOTONE
    one_way = bool((factors < 1.0 + 1e-3).all() or (factors > 1.0 - 1e-3).all())
    falling = rank_correlation(factors, sizes) < -_MONOTONE
    return "eps" if one_way and (small or falling) else "plain"


def _spread(values: Values) -> float:
    middle = float(np.median(values))
    return float(np.std(values)) / middle if middle > 0 else np.inf
