"""From rows of many files to one table: names become numbers, layers get an order, the last word counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from core.formats.monitors.joint_key import joint_key
from core.formats.monitors.kinds import Phase, phase_of, placed
from core.formats.monitors.model_order import merged, oriented
from core.records.columns import Float64, Int32, Int64
from core.records.trends import Bool


class Sorted(NamedTuple):
    """All numbers in the order of a :class:`~core.records.trends.TrendTable`."""

    layers: tuple[str, ...]
    stages: Int32
    metrics: tuple[str, ...]
    kinds: tuple[str, ...]
    columns: Mapping[str, NDArray[Any]]
    """``layer``, ``metric``, ``step``, ``rank``, ``micro_step``, ``value`` and ``clipped``."""
    replaced: int


class Gathering:
    """Collects numbers in the order in which they were written."""

    def __init__(self) -> None:
        self._layers: dict[tuple[int, str], int] = {}
        self._kinds: dict[str, int] = {}
        self._metrics: dict[tuple[int, str], int] = {}
        self._places: dict[tuple[int, str, str], tuple[int, int]] = {}
        self._orders: dict[tuple[int, int, int], dict[int, None]] = {}
        """Layers by first appearance, for each kind, stage and rank."""
        self._signatures: set[bytes] = set()
        """Which layers, kinds and ranks came together: thousands of files name the same."""
        self._parts: list[dict[str, NDArray[Any]]] = []

    def place(self, stage: int, name: str, kind: str) -> tuple[int, int]:
        """Return the numbers of the layer and of the kind of a row."""
        known = self._places.get((stage, name, kind))
        if known is None:
            layer_name, whole_kind = placed(kind, name)
            layer = self._layers.setdefault((stage, layer_name), len(self._layers))
            known = layer, self._kinds.setdefault(whole_kind, len(self._kinds))
            self._places[stage, name, kind] = known
        return known

    def add(
        self,
        layer: NDArray[Any],
        kind: NDArray[Any],
        step: Int64,
        rank: Int32,
        micro: Int32,
        statistics: Iterable[tuple[str, Float64, Bool | None, Bool | None]],
    ) -> None:
        """Add rows; *layer* and *kind* as :meth:`place` numbers them, of each statistic its name, its values,
        which are there (``None``: all) and which are cut (``None``: none).
        """
        self._note_order(layer, kind, rank)
        kinds = np.unique(kind).tolist()
        for name, values, present, clipped in statistics:
            numbers = np.zeros(len(self._kinds), np.int32)
            for number in kinds:
                if present is None or present[kind == number].any():
                    numbers[number] = self._metrics.setdefault((number, name), len(self._metrics))
            part = {
                "layer": layer.astype(np.int32),
                "metric": numbers[kind],
                "step": step,
                "rank": rank,
                "micro_step": micro,
                "value": values,
                "clipped": np.zeros(len(values), np.bool_) if clipped is None else clipped,
            }
            if present is not None:
                part = {key: column[present] for key, column in part.items()}
            self._parts.append(part)

    def sorted(self) -> Sorted:
        """Return everything in order; of numbers for the same place the last one."""
        columns = {
            key: np.concatenate([part[key] for part in self._parts])
            for key in ("layer", "metric", "step", "rank", "micro_step", "value", "clipped")
        }
        self._parts.clear()
        names = list(self._layers)
        order = self._model_order()
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        columns["layer"] = place[columns["layer"]]
        key = joint_key([columns[name] for name in ("metric", "rank", "step", "layer", "micro_step")])
        rows = np.argsort(key, kind="stable")
        kept = rows[np.append(key[rows[1:]] != key[rows[:-1]], True)] if len(rows) else rows
        kinds = list(self._kinds)
        return Sorted(
            tuple(names[number][1] for number in order),
            np.array([names[number][0] for number in order], np.int32),
            tuple(f"{kinds[kind]}.{statistic}" for kind, statistic in self._metrics),
            tuple(kinds[kind] for kind, _ in self._metrics),
            {name: column[kept] for name, column in columns.items()},
            len(rows) - len(kept),
        )

    def _note_order(self, layer: NDArray[Any], kind: NDArray[Any], rank: Int32) -> None:
        code = (layer.astype(np.int64) * len(self._kinds) + kind) * 2**31 + rank
        different, first = np.unique(code, return_index=True)
        signature = different.tobytes()
        if signature in self._signatures:
            return
        self._signatures.add(signature)
        stages = [stage for stage, _ in self._layers]
        for row in np.sort(first).tolist():
            number = int(layer[row])
            order = self._orders.setdefault((int(kind[row]), stages[number], int(rank[row])), {})
            order.setdefault(number)

    def _model_order(self) -> list[int]:
        """Return all layers: as the forward pass names them, then what only other kinds name."""
        names = [name for _, name in self._layers]
        kinds = list(self._kinds)

        def weight(key: tuple[int, int, int]) -> tuple[int, int, int, int]:
            kind, stage, rank = key
            phase = phase_of(kinds[kind])
            return (-1 if phase is Phase.FORWARD else phase, stage, rank, kind)

        # Hundreds of ranks name the same layers.
        found = dict.fromkeys(tuple(self._orders[key]) for key in sorted(self._orders, key=weight))
        return merged(
            [seen[position] for position in oriented([names[number] for number in seen])] for seen in found
        )
