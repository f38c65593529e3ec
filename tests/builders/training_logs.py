"""Training logs as trainers print them."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def write_megatron(
    path: Path,
    loss: np.ndarray,
    first: int = 1,
    *,
    rate: float = 1e-4,
    scale: np.ndarray | None = None,
    skipped: np.ndarray | None = None,
    restart: int = 0,
) -> Path:
    """Write *loss* as Megatron-LM prints it; with *restart* so many steps before the middle come twice."""
    lines = []
    steps = list(range(len(loss)))
    if restart:
        middle = len(loss) // 2
        steps = [*steps[:middle], *steps[middle - restart :]]
    for at in steps:
        scaled = 65536.0 if scale is None else scale[at]
        skips = 0 if skipped is None else int(skipped[at])
        lines.append(
            f" [2026-01-01 00:00:00] iteration {first + at:8}/ {len(loss):7} |"
            f" consumed samples: {64 * at:12} | elapsed time per iteration (ms): 1200.0 |"
            f" learning rate: {rate:.6E} | global batch size:    64 |"
            f" lm loss: {loss[at]:.6E} | loss scale: {scaled:.1f} | grad norm: 1.000 |"
            f" number of skipped iterations: {skips:3} | number of nan iterations:   0 |\n"
        )
    path.write_text("".join(lines))
    return path


def write_table(path: Path, **columns: np.ndarray) -> Path:
    """Write *columns* as csv."""
    rows = zip(*(np.asarray(column).tolist() for column in columns.values()))
    path.write_text("\n".join([",".join(columns), *(",".join(map(repr, row)) for row in rows)]) + "\n")
    return path
