"""Constant columns take no memory, survive the way to another process, and are copied to be written to."""

from __future__ import annotations

import multiprocessing
import pickle
import threading

import numpy as np
import pytest

from core.records.result import METRICS, RowTable
from core.workers.processes import receive, send


def test_defaults_take_no_memory_and_say_the_same() -> None:
    plain, bare = RowTable.empty(5), RowTable.defaults(5)
    for name, values in bare.columns().items():
        np.testing.assert_array_equal(values, plain.columns()[name], err_msg=name)
        assert values.dtype == plain.columns()[name].dtype
    assert RowTable.defaults(10**9).cosine.strides == (0,)


def test_only_what_is_asked_for_becomes_writable() -> None:
    rows = RowTable.defaults(4).writable(["verdict"])
    rows.verdict[1] = 0
    assert rows.verdict.tolist() == [2, 0, 2, 2]
    assert rows.writable(["verdict"]).verdict is rows.verdict
    with pytest.raises(ValueError, match="read-only"):
        rows.cosine[0] = 1.0


def test_constants_stay_constant_in_another_process() -> None:
    rows = RowTable.defaults(10**6).writable(["verdict"])
    text = pickle.dumps(rows, 5)
    assert len(text) < 1.1 * rows.verdict.nbytes + 10_000
    again = pickle.loads(text)
    assert again.cosine.strides == (0,)
    for name, values in again.columns().items():
        np.testing.assert_array_equal(values, getattr(rows, name), err_msg=name)


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_a_message_arrives_as_it_was_sent(rows: int) -> None:
    receiving, sending = multiprocessing.Pipe(duplex=False)
    table = RowTable.defaults(rows).writable(METRICS)
    thread = threading.Thread(target=send, args=(sending, ("result", (table, "text", np.empty((0, 3))))))
    thread.start()
    kind, (again, text, nothing) = receive(receiving)
    thread.join()
    assert (kind, text, nothing.shape) == ("result", "text", (0, 3))
    for name, values in again.columns().items():
        np.testing.assert_array_equal(values, getattr(table, name), err_msg=name)
    if rows:
        again.cosine[0] = 0.5  # what arrives can be written to, as what was sent
