"""Infinities that a dump holds already are told where the table speaks of overflow."""

from __future__ import annotations

import numpy as np
import pytest

from core.records.headroom import Answer, HeadroomTable
from core.records.overflow import Special
from core.report.headroom_report import fate_words
from gui.models.headroom.columns import ROOM_COLUMNS, fate_text

COLUMN = {column.key: column for column in ROOM_COLUMNS}


def rows() -> HeadroomTable:
    """Return rows: clean, with infinities counted, infinite by statistics, beyond the format."""
    table = HeadroomTable.empty(4)
    table.count[:] = 576
    table.overflow[:] = Answer.NONE, Answer.NONE, Answer.UNKNOWN, Answer.SOME
    table.overflow_count[:] = 0, 0, -1, 3
    table.special[1:3] = Special.PLUS_INF, Special.MINUS_INF
    table.infinite[:] = 0, 474, -1, 0
    return table


@pytest.mark.parametrize(
    ("row", "words"), [(0, "0"), (1, "already Inf: 474"), (2, "already Inf"), (3, "0.521")]
)
def test_infinities_are_not_called_no_overflow(row: int, words: str) -> None:
    assert fate_text(rows(), "overflow", row).startswith(words)
    assert fate_words(rows(), row, "overflow").startswith(words)
    assert "Inf" not in fate_text(rows(), "vanishing", row)


def test_they_are_sorted_among_what_overflows() -> None:
    keys = COLUMN["overflow"].sort(rows(), None)  # type: ignore[arg-type]
    assert np.argsort(-keys).tolist() == [1, 3, 2, 0]
