"""The numbers along the axes of a picture, and under the colours."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.metrics.pictures.plane import Plane
from gui.looks.theme import LIGHT, Theme
from gui.tensors.scales import Scale, difference_shades, diverging, sequential, value_shades
from gui.tensors.ticks import axis_names, index_ticks, index_words, value_ticks
from gui.views.tensors.colour_bar import ColourBar


@given(st.integers(1, 3_000_000), st.floats(0, 1), st.floats(0, 1), st.integers(40, 900))
def test_indices_stand_at_their_elements(count: int, start: float, share: float, room: int) -> None:
    extent = max(share * count, min(4, count))
    near = start * (count - extent)
    ticks = index_ticks(near, extent, room, 30)
    assert ticks
    for tick in ticks:
        unit = {"k": 1000, "M": 1_000_000}.get(tick.words[-1], 1)
        index = round(float(tick.words.rstrip("kM")) * unit)
        assert near - 1 <= index <= near + extent
        assert tick.at == pytest.approx((index + 0.5 - near) * room / extent, abs=1e-6 * room)
    gaps = np.diff([tick.at for tick in ticks])
    assert (gaps >= 29.9).all() or room / extent > 29


@pytest.mark.parametrize(
    ("index", "words"), [(0, "0"), (9999, "9999"), (10_000, "10k"), (12_500, "12.5k"), (20_000_000, "20M"),
                         (10_010, "10010")],
)  # fmt: skip
def test_indices_are_written_exactly(index: int, words: str) -> None:
    assert index_words(index) == words


@given(
    st.floats(-1e30, 1e30), st.floats(1e-20, 1e30), st.sampled_from(list(Scale)), st.integers(20, 400)
)  # fmt: skip
def test_values_stand_where_they_are_drawn(low: float, width: float, scale: Scale, room: int) -> None:
    shades = value_shades(sequential(), low, low + width, scale)
    for tick in value_ticks(shades, room, 30):
        assert -1e-6 * room <= tick.at <= room * (1 + 1e-6)
        if tick.zero:
            assert tick.words == "0"
            assert tick.at == pytest.approx(shades.position(0.0) * room)


def test_axes_are_named() -> None:
    names = axis_names(Plane((0, 1), (2,), (0, 0, 0)), (2, 3, 4))
    assert (names.down, names.across) == ("dim 0 × 1 ↓", "dim 2 →")
    folded = axis_names(Plane((), (0,), (0,), 10), (95,))
    assert (folded.down, folded.across, folded.indices_a_row) == ("", "dim 0 →", 10)


@pytest.fixture
def bar(qtbot: QtBot, qapp: QApplication) -> ColourBar:
    made = ColourBar(qapp.findChild(Theme) or Theme(qapp))
    qtbot.addWidget(made)
    made.resize(420, 26)
    return made


def test_values_from_the_middle_where_there_is_room(bar: ColourBar) -> None:
    bar.show_shades(difference_shades(diverging(LIGHT), 2.0), (-2, 2))
    assert not bar.middle
    bar.set_tall(True)
    bar.resize(420, bar.height())
    assert [words for _, words in bar.middle] == ["−1", "0", "1"]
    bar.resize(200, bar.height())
    assert [words for _, words in bar.middle] == ["0"]
    bar.show_shades(value_shades(sequential(), 1e-4, 1.0, Scale.LOG), (1e-4, 1))
    assert [words for _, words in bar.middle] == ["0.01"]
    assert not bar.grab().isNull()


def test_a_logarithmic_bar_says_that_it_shows_no_signs(bar: ColourBar) -> None:
    shades = value_shades(sequential(), -2.0, 1.0, Scale.LOG)
    bar.show_shades(shades, (-2, 1))
    assert "signs are not shown" in bar.words
    bar.show_shades(value_shades(sequential(), 0.5, 1.0, Scale.LOG), (0.5, 1))
    assert "signs" not in bar.words
