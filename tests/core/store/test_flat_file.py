"""Flat files: what is written is mapped again, and what is damaged or foreign is not there."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from builders.results import gpt_result
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

import core
from core.records.columns import Float64, Int32
from core.records.result import CellResult
from core.store.flat_file import NotThere, check_flat, read_flat, write_flat
from gui.models.pair.facts import Facts, build_facts

_KINDS = st.sampled_from(["<f8", "<f4", "<f2", "<i8", "<i4", "u1", "?", "<c8"])


@dataclass(frozen=True)
class Inner:
    column: NDArray[np.generic]
    share: float


@dataclass(frozen=True)
class Outer:
    name: str
    inner: Inner
    several: tuple[Inner, ...] = ()
    words: Mapping[str, object] = field(default_factory=dict)


def same(left: np.ndarray, right: np.ndarray) -> bool:
    """Whether two arrays have one dtype, one shape and the same bytes."""
    return (left.dtype, left.shape, left.tobytes()) == (right.dtype, right.shape, right.tobytes())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    column=_KINDS.flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, min_side=0))),
    more=arrays.arrays("<f8", st.integers(0, 5000), fill=st.just(np.nan)),
    share=st.floats(),
    name=st.text(st.characters(exclude_categories=["Cs"])),
)
def test_arrays_and_values_come_back(
    tmp_path: Path, column: np.ndarray, more: np.ndarray, share: float, name: str
) -> None:
    path = tmp_path / "value.columns"
    value = Outer(name, Inner(column, share), (Inner(more, 0.0), Inner(more[::2], 1.0)), {"a": [1, "b"]})
    write_flat(path, value)
    check_flat(path)
    again = read_flat(path, Outer)
    assert (again.name, again.words) == (name, {"a": [1, "b"]})
    assert again.inner.share == share or (np.isnan(share) and np.isnan(again.inner.share))
    wanted = [column, more, more[::2]]
    found = [again.inner.column, *(inner.column for inner in again.several)]
    assert all(map(same, found, wanted))


def test_a_result_and_its_facts_come_back(tmp_path: Path) -> None:
    cell = gpt_result(6, 3)
    facts = build_facts(cell)
    for value, kind in ((cell, CellResult), (facts, Facts)):
        path = tmp_path / "value.columns"
        write_flat(path, value)
        again = read_flat(path, kind)
        assert pickle.dumps(again) == pickle.dumps(value) or _columns(again) == _columns(value)


def _columns(value: object) -> list[object]:
    """Return all arrays and plain values below *value*."""
    if isinstance(value, np.ndarray):
        return [value.dtype.str, value.shape, value.tobytes()]
    names = getattr(value, "__dataclass_fields__", None)
    if names is None:
        return [value]
    return [item for name in names for item in _columns(getattr(value, name))]


def test_a_column_of_one_value_takes_the_room_of_one(tmp_path: Path) -> None:
    path = tmp_path / "value.columns"
    write_flat(path, Inner(np.full(1_000_000, np.nan), 0.0))
    assert path.stat().st_size < 10_000
    assert np.isnan(read_flat(path, Inner).column).sum() == 1_000_000


def test_what_is_mapped_cannot_be_changed(tmp_path: Path) -> None:
    path = tmp_path / "value.columns"
    write_flat(path, Inner(np.arange(10.0), 0.0))
    with pytest.raises(ValueError, match="read-only"):
        read_flat(path, Inner).column[0] = 1


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 10_000), bit=st.integers(0, 7), cut=st.integers(0, 3))
def test_a_damaged_file_is_not_there(tmp_path: Path, place: int, bit: int, cut: int) -> None:
    path = tmp_path / "value.columns"
    write_flat(path, Outer("name", Inner(np.arange(500.0), 0.5)))
    whole = bytearray(path.read_bytes())
    if cut:
        del whole[len(whole) * cut // 4 :]
    else:
        whole[place % len(whole)] ^= 1 << bit
    path.write_bytes(whole)
    try:
        check_flat(path)
    except NotThere:
        return
    # a flip in the blanks behind the first line changes nothing
    assert same(read_flat(path, Outer).inner.column, np.arange(500.0))


@pytest.mark.parametrize("said", [b"", b"{}", b"x" * 600, b'{"ulpscope":"columns"}'.ljust(700)])
def test_a_foreign_file_is_not_there(tmp_path: Path, said: bytes) -> None:
    path = tmp_path / "value.columns"
    path.write_bytes(said)
    with pytest.raises(NotThere):
        check_flat(path)
    with pytest.raises(NotThere):
        read_flat(tmp_path / "none.columns", Inner)


def test_a_file_of_another_kind_or_version_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "value.columns"
    write_flat(path, Inner(np.arange(3.0), 0.0))
    with pytest.raises(NotThere):
        read_flat(path, Outer)
    monkeypatch.setattr(core, "__version__", "0.0.0")
    with pytest.raises(NotThere):
        read_flat(path, Inner)


def test_a_file_of_something_else_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "value.columns"
    write_flat(path, Inner(np.arange(3.0), 0.0), of="this")
    check_flat(path, "this")
    with pytest.raises(NotThere):
        check_flat(path, "that")
    with pytest.raises(ValueError, match="too long"):
        write_flat(tmp_path / "long.columns", Inner(np.arange(3.0), 0.0), of="x" * 512)
    assert [entry.name for entry in tmp_path.iterdir()] == ["value.columns"]


@dataclass(frozen=True)
class Objects:
    column: Int32 | Float64 | object


def test_objects_are_refused_and_nothing_is_left(tmp_path: Path) -> None:
    with pytest.raises(NotImplementedError):
        write_flat(tmp_path / "value.columns", Objects(np.array([{}, []], object)))
    assert list(tmp_path.iterdir()) == []
