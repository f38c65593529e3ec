"""Packed texts against a plain list of them."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gui.models.pair.texts import Texts, in_natural_order

NAMES = st.lists(
    st.text(st.characters(codec=None) | st.sampled_from("\0.09aİß\ud800"), max_size=12), max_size=9
)


@given(NAMES)
@example(["a\0b", "", "\0"])
@example([""])
def test_packed_texts_read_as_a_list(names: list[str]) -> None:
    packed = Texts.of(names)
    assert len(packed) == len(names)
    assert list(packed) == [packed[at] for at in range(len(names))] == names
    assert [packed[at - len(names)] for at in range(len(names))] == names
    again = pickle.loads(pickle.dumps(packed))
    assert list(again) == names
    with pytest.raises(IndexError):
        packed[len(names)]


@given(NAMES, st.text(st.sampled_from("\0.09aİß"), max_size=3))
@example(["aa", "a"], "a")
@example(["a\0b", "b"], "b")
def test_texts_are_found(names: list[str], wanted: str) -> None:
    packed = Texts.of(names)
    for text in [*names, wanted]:
        assert packed.find(text) == (names.index(text) if text in names else -1)
        assert (text in packed) == (text in names)
    needle = wanted.lower()
    if "\0" not in needle:
        assert packed.containing(needle).tolist() == [*(needle in text.lower() for text in names), False]


@given(st.lists(st.text(st.sampled_from("0129a.Z"), max_size=8), unique=True, max_size=12))
def test_digits_sort_as_numbers(names: list[str]) -> None:
    def key(name: str) -> str:
        return re.sub("[0-9]+", lambda digits: digits[0].zfill(12), name)

    place = in_natural_order(Texts.of(names)).tolist()
    assert sorted(place) == list(range(len(names)))
    ordered = [key(name) for _, name in sorted(zip(place, names))]
    assert ordered == sorted(ordered)
