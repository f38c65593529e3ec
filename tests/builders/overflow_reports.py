"""Answers of an overflow analysis made by hand, small and huge, with realistic names; no dump behind them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from core.messages import Message
from core.records.overflow import (
    Birth,
    BirthKind,
    CellTrack,
    Level,
    Mode,
    OverflowReport,
    Special,
    Spread,
    Station,
    Way,
)
from core.records.run import CellKey
from core.records.stacks import Frame, encode_stack

APIS = (
    "Functional.layer_norm", "Functional.linear", "Functional.scaled_dot_product_attention",
    "Functional.linear", "Tensor.__add__", "Functional.layer_norm", "Functional.linear", "Functional.gelu",
    "Functional.linear", "Tensor.__add__",
)  # fmt: skip
LONG = (
    "Module.module.module.language_model.encoder.layers.17.self_attention.core_attention.flash_attention"
    ".FlashSelfAttentionWithRotaryEmbedding.forward.0"
)
STACK = encode_stack(
    [
        Frame(
            "/opt/conda/lib/python3.11/site-packages/torch/nn/functional.py", 2905, "layer_norm", "return x"
        ),
        Frame("/workspace/train/model.py", 71, "forward", "return self.down(F.gelu(self.up(x)))"),
        Frame("/workspace/train/model.py", 118, "forward", "x = x + self.feed_forward(self.norm_2(x))"),
        Frame("/workspace/train/loop.py", 212, "step", "logits = self.model(batch.tokens)"),
    ]
)


def call_name(row: int, total: int) -> str:
    """Return the name of call *row* in a cell of *total* calls: first forward, then backward."""
    place = row if row < total // 2 else total - 1 - row
    way = "forward" if row < total // 2 else "backward"
    return f"{APIS[place % len(APIS)]}.{place // len(APIS)}.{way}"


def birth(
    cell: CellKey,
    row: int,
    total: int,
    kind: BirthKind = BirthKind.OUTPUT,
    values: Special = Special.NAN,
    level: Level = Level.CRITICAL,
    name: str = "",
    **more: object,
) -> Birth:
    """Return one birth at call *row* of a cell of *total* calls."""
    operator = name or call_name(row, total)
    slot = "input.0" if kind in (BirthKind.INPUT, BirthKind.PARAMETER) else "output.0"
    return Birth(
        kind, level, cell, operator, slot, row, values,
        Message("suspect.overflow", {"operator": f"`{operator}`", "slot": slot}),
        module="Module.blocks.14.feed_forward.FeedForward.forward.0", stack=STACK,
        evidence={"target_value": "65504", "golden_value": 2.75, "count": 12},
        **more,
    )  # fmt: skip


def track(key: CellKey, total: int, bad: np.ndarray, values: np.ndarray, undecided: int = 0) -> CellTrack:
    """Return a track in which the calls *bad* put out *values*, and take in what the call before put out."""
    goes_in = np.zeros(len(bad), np.uint8)
    if len(bad):
        goes_in[1:] = np.where(np.diff(bad) == 1, values[:-1], 0)
    return CellTrack(key, total, bad.astype(np.int32), goes_in, values.astype(np.uint8), undecided)


def flow(
    cell: CellKey, rows: list[int], total: int, first: Way, sender: tuple[CellKey, int] | None = None
) -> tuple[Station, ...]:
    """Return stations at *rows* of *cell*; bad values come to the first one by *first*, from *sender*."""
    made = tuple(
        Station(
            first if number == 0 else Way.FLOW, cell, call_name(row, total), row,
            0 if number == 0 else row - rows[number - 1] - 1,
        )
        for number, row in enumerate(rows)
    )  # fmt: skip
    if sender is None:
        return made
    return (replace(made[0], sender=sender[0], sender_row=sender[1]), *made[1:])


def report(
    origins: tuple[Birth, ...] = (),
    spreads: tuple[Spread, ...] = (),
    expected: tuple[Birth, ...] = (),
    tracks: tuple[CellTrack, ...] = (),
    mode: Mode = Mode.INF_NAN,
) -> OverflowReport:
    """Return a report about runs that are nowhere."""
    return OverflowReport(
        "/data/runs/npu_dump", "/data/runs/gpu_dump", origins, spreads, expected, mode, tracks
    )


def clean(undecided: int = 0, cells: int = 1, total: int = 240) -> OverflowReport:
    """Return the report of a run in which all is finite."""
    none = np.empty(0, np.int32)
    keys = [CellKey("", 0, rank) for rank in range(cells)]
    made = report(tracks=tuple(track(key, total, none, none, undecided) for key in keys))
    said = Message("overflow.remark.undecided", {"count": undecided, "calls": cells * total})
    return replace(made, remarks=(said,)) if undecided else made


def expected_only(total: int = 240) -> OverflowReport:
    """Return a report whose only infinities are those of attention masks."""
    key = CellKey("", 0, 0)
    rows = np.array([12, 44, 76], np.int32)
    values = np.full(3, Special.MINUS_INF, np.uint8)
    masks = tuple(
        birth(key, int(row), total, values=Special.MINUS_INF, level=Level.MEDIUM, spreads=False)
        for row in rows
    )
    return report(expected=masks, tracks=(track(key, total, rows, values),))


def one_cell(total: int = 240, name: str = "") -> OverflowReport:
    """Return one run of one cell: a NaN born in the middle, and an infinity that is absorbed before it."""
    key = CellKey("", 0, 0)
    rows = np.array([40, 41, *range(97, total)], np.int32)
    values = np.array([Special.PLUS_INF] * 2 + [Special.NAN] * (total - 97), np.uint8)
    first = birth(key, 40, total, values=Special.PLUS_INF, level=Level.CRITICAL, spreads=False)
    second = birth(key, 97, total, name=name, earliest=False)
    path = flow(key, [97, 98, 104, 119, 120, 130, 200, total - 1], total, Way.BORN)
    return report((first, second), (Spread(1, (path,)),), tracks=(track(key, total, rows, values),))


def long_name() -> OverflowReport:
    """Return a report whose operator has a name longer than any column."""
    return one_cell(name=LONG)


def saturated(total: int = 240) -> OverflowReport:
    """Return a run on a device that writes 65504 where a result is too large."""
    key = CellKey("", 0, 0)
    rows = np.arange(60, total, dtype=np.int32)
    born = birth(key, 60, total, BirthKind.SATURATION, Special.SATURATED)
    path = flow(key, [60, 61, 75, total - 1], total, Way.BORN)
    values = np.full(len(rows), Special.SATURATED, np.uint8)
    return report(
        (born,), (Spread(0, (path,)),), tracks=(track(key, total, rows, values),), mode=Mode.SATURATION
    )


def training(ranks: int = 4, steps: int = 3, total: int = 320, seed: int = 3) -> OverflowReport:
    """Return a run in which rank 1 gives birth in step 0 and an all-reduce tells the other ranks.

    Every later step starts with bad parameters; one rank of the last step was not dumped.
    """
    random = np.random.default_rng(seed)
    guilty = 1 % ranks
    origins: list[Birth] = []
    spreads: list[Spread] = []
    expected: list[Birth] = []
    tracks: list[CellTrack] = []
    born, sent = int(total * 0.3), int(total * 0.72)
    for step in range(steps):
        for rank in range(ranks):
            key = CellKey("", step, rank)
            if step == steps - 1 > 0 and rank == ranks - 1 > 0:
                continue
            begins = born if step == 0 and rank == guilty else sent if step == 0 else 0
            rows = np.arange(begins, total, dtype=np.int32)
            rows = rows[random.random(len(rows)) < 0.9] if len(rows) > 3 else rows
            rows = np.union1d(rows, [begins, total - 1]).astype(np.int32)
            values = np.full(len(rows), Special.NAN, np.uint8)
            early = rows < begins + (total - begins) // 3
            values[early & (random.random(len(rows)) < 0.5)] |= int(Special.PLUS_INF)
            masks = np.setdiff1d(np.arange(7, begins, 37), rows)[:9]
            expected += [
                birth(
                    key, int(row), total, values=Special.MINUS_INF, level=Level.MEDIUM, spreads=False
                )
                for row in masks[:3]
            ]  # fmt: skip
            rows, values = (
                np.append(masks, rows), np.append(np.full(len(masks), Special.MINUS_INF), values)
            )  # fmt: skip
            order = np.argsort(rows)
            tracks.append(track(key, total, rows[order], values[order], undecided=2 * rank))
    first = CellKey("", 0, guilty)
    origins.append(birth(first, born, total, values=Special.NAN | Special.PLUS_INF))
    paths = [flow(first, [born, born + 1, (born + sent) // 2, sent, total - 1], total, Way.BORN)]
    paths += [
        flow(CellKey("", 0, rank), [sent, total - 1], total, Way.COMMUNICATION, (first, sent))
        for rank in range(ranks)
        if rank != guilty
    ]
    paths += [flow(CellKey("", step, guilty), [0, total - 1], total, Way.STEP) for step in range(1, steps)]
    spreads.append(Spread(0, tuple(paths)))
    if ranks > 2:
        own = CellKey("", 0, 2)
        at = int(total * 0.5)
        origins.append(birth(own, at, total, BirthKind.INPUT, Special.PLUS_INF, Level.HIGH, spreads=False))
        origins.append(
            birth(
                CellKey("", 0, 0), sent, total, BirthKind.COMMUNICATION, earliest=False,
                name="Distributed.all_reduce.3.forward", ranks=tuple(range(ranks)),
            )
        )  # fmt: skip
    if steps > 1:
        origins.append(
            birth(
                CellKey("", 1, 0), 0, total, BirthKind.PARAMETER, Special.NAN, Level.HIGH, earliest=False
            )
        )  # fmt: skip
    return report(tuple(origins), tuple(spreads), tuple(expected), tuple(tracks))


def huge(ranks: int = 64, steps: int = 2, total: int = 20_000) -> OverflowReport:
    """Return as much as a window ever has to draw: 64 lanes of 20 000 calls, most of them bad."""
    return training(ranks, steps, total)


def official() -> OverflowReport:
    """Return what the official analyser's file gives: accused nodes, no pictures."""
    accused = tuple(
        birth(CellKey("", 0, rank), -1, 240, name=f"Functional.linear.{rank}.forward", spreads=False)
        for rank in range(2)
    )
    said = (Message("overflow.remark.official"),)
    return OverflowReport("/data/anomaly_analyze_17.json", "", accused, (), (), Mode.UNKNOWN, (), said)
