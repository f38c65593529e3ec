"""Whether the evidence is of two runs, and not of one that was opened twice."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np

from core.curves.band import distinct_repeats
from core.messages import Message, Parameter
from core.precheck.checks.logs import main_log
from core.precheck.checks.missing import without_logs
from core.precheck.dumps.facts import DumpFacts
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair
from core.records.curves import LoggedRun
from core.records.precheck import Item, Outcome, Standing
from core.records.series import Series

_LEAST_RESULTS = 10
"""Results of operators, or losses, without which equal numbers may be chance."""


def two_runs(pair: Pair) -> Finding:
    """Check that nothing of both sides is the same file or holds the same numbers to the last digit."""
    told = _by_dumps(pair.dumps) if pair.dumps is not None else None
    if told is not None and told.result is Outcome.FAIL:
        return told
    doubled = next(_doubled_logs(pair), None)
    if doubled is not None:
        item = Item("log", doubled[0].path, doubled[1].path, Standing.DIFFERS)
        places = (doubled[0].path,), (doubled[1].path,)
        return Finding(Outcome.FAIL, Message("precheck.flow.two_runs.logs"), (item,), (), *places)
    if told is not None and told.result is Outcome.PASS:
        return told
    logs = [main_log(side) for side in (pair.target, pair.golden)]
    telling = [log for log in logs if log is not None and _tells(log)]
    if len(telling) == len(logs):
        message = Message("precheck.flow.two_runs.pass.logs")
        return Finding(Outcome.PASS, message, (), (), (telling[0].path,), (telling[1].path,))
    return told or without_logs(target=logs[0] is not None, golden=logs[1] is not None)


def _by_dumps(facts: DumpFacts) -> Finding:
    """Return what the results of operators and the calls tell."""
    same, calls = facts.sameness, facts.sequence
    count: dict[str, Parameter] = {"count": same.compared}
    apart = same.compared - same.equal
    result = Outcome.FAIL
    if same.same_files:
        message = Message("precheck.flow.two_runs.same_files")
    elif apart:
        result, message = Outcome.PASS, Message("precheck.flow.two_runs.pass", {"count": apart})
    elif calls.matched and (calls.target_only or calls.golden_only):
        result, message = Outcome.PASS, Message("precheck.flow.two_runs.calls")
    elif same.compared < _LEAST_RESULTS:
        return not_done(Message("precheck.flow.two_runs.few", count))
    else:
        word = "identical" if same.identical == same.compared else "equal"
        message = Message(f"precheck.flow.two_runs.{word}", count)
    return Finding(result, message, (), (), (facts.target_path,), (facts.golden_path,))


def _doubled_logs(pair: Pair) -> Iterator[tuple[LoggedRun, LoggedRun]]:
    """Yield logs of both sides that are one file, or hold the same numbers in all that they log."""
    for ours in pair.target.logs():
        for theirs in pair.golden.logs():
            one_file = os.path.realpath(ours.path) == os.path.realpath(theirs.path)
            if one_file or (_tells(ours) and distinct_repeats(ours, ours, [theirs])[1]):
                yield ours, theirs


def _tells(run: LoggedRun) -> bool:
    loss = run.curves.get(Series.LOSS)
    return loss is not None and len(np.unique(loss.values)) >= _LEAST_RESULTS
