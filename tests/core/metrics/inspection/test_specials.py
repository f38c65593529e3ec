"""The next special value, against a walk over all elements."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.dtypes import DTYPES
from core.formats.tensors import TensorHandle
from core.metrics.inspection import specials
from core.metrics.inspection.sources import PairSources, TensorFile
from core.metrics.inspection.specials import Special, next_special
from core.progress import run_to_end
from tests.core.metrics.pictures.tensors import handle_of, seen, tensors

TESTS = {Special.NAN: np.isnan, Special.PLUS_INF: np.isposinf, Special.MINUS_INF: np.isneginf}


class Held:
    """A tensor in memory."""

    def __init__(self, handle: TensorHandle) -> None:
        self._handle = handle

    def open(self) -> TensorHandle:
        return self._handle


def walked(values: np.ndarray, special: Special, after: tuple[int, ...] | None, forward: bool) -> object:
    """Return the next place by looking at every element in turn."""
    places = list(np.ndindex(*values.shape))
    if not forward:
        places.reverse()
    first = places.index(after) + 1 if after is not None else 0
    return next((at for at in places[first:] + places[:first] if TESTS[special](values[at])), None)


@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    name=st.sampled_from(sorted(DTYPES)),
    shape=st.lists(st.integers(0, 4), max_size=4).map(tuple),
    special=st.sampled_from(Special),
    forward=st.booleans(),
)
def test_any_tensor(
    data: st.DataObject, name: str, shape: tuple[int, ...], special: Special, forward: bool
) -> None:
    handle, values = data.draw(tensors(name, shape))
    plain = np.array([float(seen(value, specials.Part.MAGNITUDE)) for value in values.reshape(-1)])
    plain = plain.reshape(shape)
    places = list(np.ndindex(*shape))
    after = data.draw(st.none() | st.sampled_from(places)) if places else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(specials, "_CHUNK", data.draw(st.sampled_from([2, 7, 1000])))
        sources = PairSources(Held(handle), Held(handle_of(np.zeros(shape))))
        found = run_to_end(next_special(sources, "target", special, after, forward))
    assert found == walked(plain, special, after, forward)
    assert run_to_end(next_special(sources, "golden", special, after, forward)) is None


def test_round_and_round(tmp_path: Path) -> None:
    array = np.zeros((50, 60), np.float16)
    array[3, 4] = array[40, 1] = array[40, 59] = np.nan
    np.save(tmp_path / "target.npy", array)
    sources = PairSources(TensorFile(str(tmp_path / "target.npy")), None)
    for forward, order in ((True, [(3, 4), (40, 1), (40, 59)]), (False, [(40, 59), (40, 1), (3, 4)])):
        place = None
        for wanted in order + order:
            place = run_to_end(next_special(sources, "target", Special.NAN, place, forward))
            assert place == wanted
    assert run_to_end(next_special(sources, "golden", Special.NAN)) is None


def test_a_long_search_lets_others_have_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(specials, "_BREATH", 0.0)
    monkeypatch.setattr(specials, "_CHUNK", 100)
    handle = handle_of(np.zeros((30, 40)))
    steps = list(next_special(PairSources(Held(handle), None), "target", Special.NAN))
    assert [step.done for step in steps] == list(range(100, 1201, 100))
