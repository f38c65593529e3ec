"""Edges of bins ascend and hold what they count, at both ends of the range of a format."""

from __future__ import annotations

import numpy as np
import pytest
from builders.element_pairs import handle_of, sources_of

from core.metrics.inspection.distributions import Bins, DistributionRequest, pair_distributions
from core.progress import run_to_end

SMALLEST = 5e-324
LARGEST = float(np.finfo(np.float64).max)
VALUES = [
    [SMALLEST],
    [-SMALLEST, SMALLEST],
    [-SMALLEST],
    [3 * SMALLEST, 9 * SMALLEST],
    [-200 * SMALLEST, 300 * SMALLEST],
    [1e-310, -3e-308],
    [LARGEST],
    [-LARGEST],
    [LARGEST, -LARGEST],
    [LARGEST, float(np.nextafter(LARGEST, 0))],
    [-LARGEST, -float(np.nextafter(LARGEST, 0))],
    [1e-45, 3e-45],
    [-1e-40, 1e-45],
    [0.0, -0.0],
]


@pytest.mark.parametrize("bins", list(Bins))
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("count", [1, 3000])
@pytest.mark.parametrize("values", VALUES)
def test_edges_ascend_and_hold_what_they_count(
    values: list[float], count: int, dtype: type, bins: Bins
) -> None:
    with np.errstate(over="ignore"):
        target = np.nan_to_num(np.repeat(np.array(values), count).astype(dtype))
    golden = np.zeros_like(target)
    request = DistributionRequest(sources_of(handle_of(target), handle_of(golden)), bins)
    histogram = run_to_end(pair_distributions(request)).values
    assert histogram is not None
    edges = histogram.edges
    with np.errstate(over="ignore"):
        assert (edges[1:] > edges[:-1]).all()
    for side, counted in ((target, histogram.target), (golden, histogram.golden)):
        assert counted is not None
        numbers = side.astype(float)
        for bar, low, high in zip(counted, edges[:-1], edges[1:]):
            last = high == edges[-1] == LARGEST
            inside = (numbers >= low) & ((numbers < high) | (last & (numbers == high)))
            assert bar == np.count_nonzero(inside)
