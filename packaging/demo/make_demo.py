"""Make the bundled demo pair anew with the official dumper.

Needs the extra ``integration``::

    python packaging/demo/make_demo.py

The golden side is a fine-tuning of a two-block language model on the CPU. The target side is the same
program on a device whose matrix products round differently (harmless) and whose GELU kernel goes wrong in
block 1: the call ``Functional.gelu.1.forward`` gets right arguments and returns a wrong result.
"""

from __future__ import annotations

import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(PROJECT / "tests"))

from builders.official_dumper import dump, settings  # noqa: E402 - found by the line above

SIDES = {"golden": "golden", "target": "broken_gelu"}


def make_demo(folder: Path) -> None:
    """Write both sides under *folder*, replacing those that are there."""
    config = settings("tensor", "mix", summary_mode="statistics")
    for side, variant in SIDES.items():
        dump(folder / side, [variant], config, ["--steps", "2", "--fine-tune"])


if __name__ == "__main__":
    make_demo(PROJECT / "resources" / "demo")
