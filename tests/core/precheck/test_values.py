"""A value is what it means, however it is spelt."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.precheck.settings.values import (
    SettingKind,
    flag_of,
    meaning_of,
    number_of,
    same_meaning,
    shown,
    with_unit,
)

NUMBER, WHOLE, FLAG = SettingKind.NUMBER, SettingKind.WHOLE, SettingKind.FLAG
finite = st.floats(allow_nan=False, allow_infinity=False)


def spellings(number: float) -> st.SearchStrategy[object]:
    """Return ways to write *number* without changing it; the oracle is the decimal module."""
    exact = Decimal(number)
    plain = format(exact, "f")
    made: list[object] = [number, repr(number), repr(number).upper(), str(exact), plain]
    made += [f" {number!r} ", f'"{number!r}"']
    if "." in plain:
        made += [plain + "000", format(exact, "e")]
    if number.is_integer():
        made += [int(number), str(int(number)), f"{int(number):_}", f"{int(number)}.0", f"{int(number)}."]
    return st.sampled_from([item for item in made if not isinstance(item, str) or len(item) <= 400])


@given(finite, st.data())
def test_a_number_spelt_in_any_way_is_the_same(number: float, data: st.DataObject) -> None:
    first, second = data.draw(spellings(number)), data.draw(spellings(number))
    assert same_meaning(meaning_of(first, NUMBER)[0], meaning_of(second, NUMBER)[0])


@given(finite, finite, st.data())
def test_two_numbers_are_never_the_same(first: float, second: float, data: st.DataObject) -> None:
    spelled = data.draw(spellings(first)), data.draw(spellings(second))
    meant = [meaning_of(item, NUMBER)[0] for item in spelled]
    assert same_meaning(*meant) is (first == second)


@given(st.text(max_size=600))
def test_any_text_has_a_meaning_of_every_kind(text: str) -> None:
    for kind in SettingKind:
        meaning, _ = meaning_of(text, kind)
        assert same_meaning(meaning, meaning)
        assert isinstance(shown(meaning), str)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1e-5", 0.00001), ("1.0e-05", 1e-5), ("0.00001", 1e-5), (".5", 0.5), ("1_000", 1000),
        ("2**32", 2**32), ("+3", 3), ("1E3", 1000), ("-1", -1),
    ],
)  # fmt: skip
def test_spellings_that_people_use(text: str, number: float) -> None:
    assert number_of(text) == number


@pytest.mark.parametrize(
    "text", ["", "1e", "e5", "1.2.3", "0x10", "10k", "true", "1,000", "9**9**9", "٣", "1" * 5000]
)
def test_what_is_no_number(text: str) -> None:
    assert number_of(text) is None


def test_k_is_1024_for_lengths_and_1000_for_counts_and_a_remark_says_so() -> None:
    length, remark = meaning_of("4k", SettingKind.LENGTH)
    assert length == 4096
    assert remark is not None
    assert remark.parameters == {"spelled": "4k", "number": "4096"}
    assert meaning_of("4k", WHOLE)[0] == 4000
    assert with_unit("1.5B", binary=False) == 1_500_000_000
    assert meaning_of("4096", SettingKind.LENGTH) == (4096, None)


@pytest.mark.parametrize("word", ["True", "true", "1", "on", "yes", "store_true", True, 1])
def test_ways_to_switch_on(word: object) -> None:
    assert flag_of(word) is True  # type: ignore[arg-type]


@pytest.mark.parametrize("word", ["False", "0", "off", "No", "store_false", False, 0])
def test_ways_to_switch_off(word: object) -> None:
    assert flag_of(word) is False  # type: ignore[arg-type]


def test_a_flag_is_no_number_and_nothing_is_nothing() -> None:
    assert not same_meaning(True, 1)
    assert same_meaning(math.nan, math.nan)
    assert [meaning_of(word, NUMBER)[0] for word in (None, "None", "null", "")] == [None] * 4


def test_choices_are_compared_without_case_and_by_their_other_names() -> None:
    same = {"torch.bfloat16": "bf16"}
    assert meaning_of("torch.bfloat16", SettingKind.CHOICE, same)[0] == "bf16"
    assert meaning_of("Learned-Absolute", SettingKind.CHOICE)[0] == "learned_absolute"
    assert meaning_of(("0.9", 0.95), SettingKind.NUMBERS)[0] == (0.9, 0.95)
