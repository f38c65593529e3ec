"""Patterns of the pair that the window shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from core.metrics.inspection.patterns import pair_patterns
from core.metrics.inspection.sources import PairSources, TensorFile
from core.progress import Progress, run_to_end


def test_patterns_of_two_files_come_with_progress(tmp_path: Path) -> None:
    golden = np.random.default_rng(0).standard_normal((600, 512)).astype(np.float32)
    np.save(tmp_path / "golden.npy", golden)
    np.save(tmp_path / "target.npy", np.roll(golden, 2, 0))
    sources = PairSources(TensorFile(str(tmp_path / "target.npy")), TensorFile(str(tmp_path / "golden.npy")))
    work = pair_patterns(sources)
    steps: list[Progress] = []
    while True:
        try:
            steps.append(next(work))
        except StopIteration as end:
            found = end.value
            break
    assert [pattern.name for pattern in found] == ["roll"]
    assert len(steps) > 4
    assert all(0 <= step.done <= step.total for step in steps)


def test_a_side_that_is_missing_has_no_patterns(tmp_path: Path) -> None:
    np.save(tmp_path / "golden.npy", np.ones(3))
    golden = TensorFile(str(tmp_path / "golden.npy"))
    for sources in (PairSources(None, golden), PairSources(TensorFile(str(tmp_path / "none.npy")), golden)):
        assert run_to_end(pair_patterns(sources)) == ()
