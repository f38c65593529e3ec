"""Which parts of two texts differ."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gui.models.call.word_parts import Parts, differing_digits, differing_parts

TEXTS = st.text("ab1 ,[]\"'×", max_size=12)


def whole(parts: Parts) -> str:
    return "".join(part.words for part in parts)


def marked(parts: Parts) -> list[str]:
    return [part.words for part in parts if part.differs]


@pytest.mark.parametrize("compare", [differing_parts, differing_digits])
@given(one=TEXTS, other=TEXTS)
def test_the_parts_are_the_text_and_equal_texts_differ_nowhere(compare, one, other):
    mine, theirs = compare(one, other)
    assert (whole(mine), whole(theirs)) == (one, other)
    if one == other or not one or not other:
        assert not marked(mine) + marked(theirs)
    else:
        assert marked(mine) + marked(theirs)


def test_whole_words_are_marked():
    mine, theirs = differing_parts("[1, 200, 3]", "[1, 250, 3, 4]")
    assert (marked(mine), marked(theirs)) == (["200"], ["250", ", 4"])


def test_digits_are_marked_from_the_first_that_differs():
    mine, theirs = differing_digits("1.22351", "1.46076")
    assert (marked(mine), marked(theirs)) == (["22351"], ["46076"])


def test_a_long_argument_costs_no_time():
    one = str(list(range(40_000)))
    began = time.perf_counter()
    mine, theirs = differing_parts(one, one.replace("20000", "x"))
    assert time.perf_counter() - began < 1
    assert (marked(mine), marked(theirs)) == (["20000"], ["x"])
