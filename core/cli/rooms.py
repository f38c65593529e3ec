"""``ulpscope overflow --headroom``: how near the values are to fp16, and which loss scale fits."""

from __future__ import annotations

import argparse
from typing import Any

from core.cli.console import drive
from core.compare.options import CompareOptions
from core.overflow.headroom.run import headroom_of_run
from core.records.dump import Dump
from core.records.headroom import Headroom
from core.report.headroom_report import (
    headroom_as_json,
    headroom_as_text,
    loss_scale_as_json,
    loss_scale_as_text,
)

_SHOWN = 10
"""Slots of each cell that the terminal shows, those with the least room first."""


class Rooms:
    """All cells of a run measured; what is printed is made at once, so that no dump has to be kept."""

    def __init__(self, arguments: argparse.Namespace) -> None:
        self._json = bool(arguments.json)
        self._first = arguments.first or _SHOWN
        self._said: list[dict[str, Any]] = []
        self._lines: list[str] = []
        options = CompareOptions(steps=arguments.step, ranks=arguments.rank, use_cache=not arguments.no_cache)
        work = headroom_of_run(arguments.run, options, self._take)
        self._scale = drive(work, quiet=arguments.quiet)

    def _take(self, headroom: Headroom, dump: Dump) -> None:
        if self._json:
            self._said.append(headroom_as_json(headroom, dump))
        else:
            self._lines += ["", headroom.key.label(), *headroom_as_text(headroom, dump, self._first)]

    def as_json(self) -> dict[str, Any]:
        """Return what stands beside the births in the JSON."""
        return {"headroom": self._said, "loss_scale": loss_scale_as_json(self._scale)}

    def as_text(self) -> list[str]:
        """Return lines for the terminal."""
        return [*self._lines, "", *loss_scale_as_text(self._scale)]
