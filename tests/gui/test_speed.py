"""What must not grow with the number of operators: objects that arrive, and time on a large tree."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable

import pytest
from builders.results import gpt_result

from core.records.result import CellResult
from gui.main_window import MainWindow
from gui.models.pair.facts import Facts, build_facts


@pytest.fixture(scope="module")
def large() -> CellResult:
    return gpt_result(layers=2500, faulty_layer=1200)


def test_facts_travel_without_an_object_a_name(large: CellResult) -> None:
    facts = build_facts(large)
    assert len(facts.operators.texts) > 50_000
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(facts, protocol=5, buffer_callback=buffers.append)
    assert len(head) < 20_000
    again = pickle.loads(head, buffers=[bytes(buffer.raw()) for buffer in buffers])
    assert isinstance(again, Facts)
    assert list(again.hierarchy.names) == list(facts.hierarchy.names)


def test_facts_take_a_few_microseconds_an_operator(large: CellResult) -> None:
    build_facts(large)
    began = time.process_time()
    facts = build_facts(large)
    # about 5 in practice; a busy machine must not fail the test
    assert (time.process_time() - began) / len(facts.operators.texts) < 40e-6


def test_a_long_list_of_layers_is_not_unfolded(
    window: MainWindow, show: Callable[..., None], large: CellResult
) -> None:
    show(large)
    assert window.workspace is not None
    model, facts = window.workspace.operators.model, window.session.facts
    assert facts is not None
    layers = facts.hierarchy.parent == facts.hierarchy.names.index("model.transformer.h.")
    assert int(layers.sum()) == 2500
    assert model.unfolding is not None
    assert int((model.unfolding.open & layers).sum()) <= 1  # the one with the selected row
