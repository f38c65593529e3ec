"""What every campaign has: trials from one seed until the time is up, one line at the end, 1 on a failure.

A campaign module defines ``trial(random)``, which raises :class:`Failure` (or anything else) when what it
tried went wrong, and ends in ``if __name__ == "__main__": run("name", trial)``. Each trial gets a generator
seeded by the campaign's seed and the trial's number, so that a failure can be repeated alone.
"""

from __future__ import annotations

import argparse
import faulthandler
import random
import sys
import time
import traceback
import warnings
from collections.abc import Callable
from typing import NoReturn

Trial = Callable[[random.Random], str]
"""Does one thing at random and returns in a word what happened, for the count at the end."""


LONGEST = 60
"""Seconds that one trial may take; what takes longer hangs."""


class Failure(AssertionError):
    """What was tried went wrong; the text says what was tried and what happened."""


def run(name: str, trial: Trial) -> NoReturn:
    """Read the command line, run trials until the time is up, print one line and exit."""
    parser = argparse.ArgumentParser(description=f"the campaign {name}")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long (default: 60)")
    parser.add_argument("--seed", type=int, default=None, help="repeat a campaign that printed this seed")
    parser.add_argument("--trial", type=int, default=None, help="run only the trial of this number")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1 << 31) if options.seed is None else options.seed
    warnings.simplefilter("error")
    outcomes: dict[str, int] = {}
    start = time.monotonic()
    number = options.trial or 0
    while True:
        # Prints where it hangs and ends the process with status 1.
        faulthandler.dump_traceback_later(LONGEST, exit=True)
        try:
            outcome = trial(random.Random(f"{seed} {number}"))
        except Exception:  # noqa: BLE001 - whatever it is, it is what the campaign looks for
            traceback.print_exc()
            print(f"campaign {name}: FAILED in trial {number}; repeat with --seed {seed} --trial {number}")
            sys.exit(1)
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
        number += 1
        if options.trial is not None or time.monotonic() - start >= options.seconds:
            break
    faulthandler.cancel_dump_traceback_later()
    counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    elapsed = time.monotonic() - start
    trials = sum(outcomes.values())
    print(f"campaign {name}: {trials} trials in {elapsed:.0f} s, none failed (seed {seed}): {counted}")
    sys.exit(0)
