"""Files that change while they are read, and files that must not change because an array is saved."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.errors import InputError
from core.metrics.inspection.distributions import (
    DistributionRequest,
    ValueRange,
    find_value,
    pair_distributions,
    worst_along,
)
from core.metrics.inspection.elements import WorstRequest, region_statistics, save_array, worst_elements
from core.metrics.inspection.patterns import pair_patterns
from core.metrics.inspection.pictures import PictureRequest, pair_pictures
from core.metrics.inspection.sources import PairSources, TensorFile
from core.metrics.inspection.specials import Special, next_special

Question = Callable[[PairSources, Path], Generator[Any, None, Any]]

QUESTIONS: dict[str, Question] = {
    "worst": lambda pair, _: worst_elements(WorstRequest(pair)),
    "statistics": lambda pair, _: region_statistics(pair),
    "save": lambda pair, folder: save_array(pair, "difference", str(folder / "saved.npy")),
    "distributions": lambda pair, _: pair_distributions(DistributionRequest(pair)),
    "value": lambda pair, _: find_value(pair, ValueRange("target", 1e30, 2e30)),
    "along": lambda pair, _: worst_along(pair, 0, 0, 2000),
    "patterns": lambda pair, _: pair_patterns(pair),
    "pictures": lambda pair, _: pair_pictures(PictureRequest(pair)),
    "special": lambda pair, _: next_special(pair, "target", Special.NAN),
}


@pytest.fixture
def pair(tmp_path: Path) -> PairSources:
    random = np.random.default_rng(3)
    for name in ("target", "golden"):
        np.save(tmp_path / f"{name}.npy", random.standard_normal((1000, 1500)))
    return PairSources(*(TensorFile(str(tmp_path / f"{name}.npy")) for name in ("target", "golden")))


@pytest.fixture(autouse=True)
def every_step_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all work tell of itself after each block."""
    seconds = count()
    monkeypatch.setattr(time, "perf_counter", lambda: float(next(seconds)))


def drain(work: Generator[Any, None, Any]) -> None:
    for _ in work:
        pass


def overwrite(path: Path) -> None:
    """Write other numbers into the file itself, as a training run that goes on does."""
    with path.open("r+b") as stream:
        stream.seek(4096)
        stream.write(np.full(100_000, np.nan).tobytes())
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1_000_000))


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("side", ["target", "golden"])
def test_no_answer_from_two_states(pair: PairSources, tmp_path: Path, name: str, side: str) -> None:
    work = QUESTIONS[name](pair, tmp_path)
    next(work)
    overwrite(tmp_path / f"{side}.npy")
    with pytest.raises(InputError) as refused:
        drain(work)
    assert refused.value.problem.code == "overwritten_while_read"
    assert refused.value.problem.path == str(tmp_path / f"{side}.npy")


@pytest.mark.skipif(os.name == "nt", reason="Windows does not remove what is mapped")
@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("name", QUESTIONS)
def test_what_is_removed_is_still_read(pair: PairSources, tmp_path: Path, name: str, replaced: bool) -> None:
    work = QUESTIONS[name](pair, tmp_path)
    next(work)
    (tmp_path / "target.npy").unlink()
    if replaced:
        np.save(tmp_path / "target.npy", np.zeros(3))
    drain(work)


@pytest.mark.skipif(os.name == "nt", reason="links")
@pytest.mark.parametrize("side", ["target", "golden", "difference"])
def test_no_file_of_either_side_is_overwritten(pair: PairSources, tmp_path: Path, side: str) -> None:
    before = {name: (tmp_path / name).read_bytes() for name in ("target.npy", "golden.npy")}
    (tmp_path / "link.npy").symlink_to("golden.npy")
    os.link(tmp_path / "target.npy", tmp_path / "hard.npy")
    for name in (*before, "link.npy", "hard.npy"):
        with pytest.raises(InputError) as refused:
            list(save_array(pair, side, str(tmp_path / name)))
        assert refused.value.problem.code == "output_is_input"
    assert {name: (tmp_path / name).read_bytes() for name in before} == before


@pytest.mark.skipif(os.name == "nt", reason="links and devices")
def test_what_is_no_file_is_not_replaced(pair: PairSources, tmp_path: Path) -> None:
    wanted = {
        "": "output_empty",
        os.devnull: "output_not_a_file",
        str(tmp_path): "output_not_a_file",
        "nul\0.npy": "array_not_written",
    }
    for path, code in wanted.items():
        with pytest.raises(InputError) as refused:
            list(save_array(pair, "target", path))
        assert refused.value.problem.code == code
    (tmp_path / "link.npy").symlink_to(tmp_path / "saved.npy")
    list(save_array(pair, "target", str(tmp_path / "link.npy")))
    assert (tmp_path / "link.npy").is_symlink()
    assert np.load(tmp_path / "saved.npy").shape == (1000, 1500)
