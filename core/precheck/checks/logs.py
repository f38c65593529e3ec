"""The training logs of a side, as the checks need them."""

from __future__ import annotations

from core.precheck.pair import Side
from core.records.curves import LoggedRun
from core.records.evidence import EvidenceKind
from core.records.series import Series


def main_log(side: Side, kind: EvidenceKind = EvidenceKind.LOG) -> LoggedRun | None:
    """Return the log that counts: the first with a loss, else the first; ``None`` without one."""
    logs = side.logs(kind)
    return next((log for log in logs if Series.LOSS in log.curves), logs[0] if logs else None)


def loss_log(side: Side, kind: EvidenceKind = EvidenceKind.LOG) -> LoggedRun | None:
    """Return the first log with a loss, ``None`` without one."""
    log = main_log(side, kind)
    return log if log is not None and Series.LOSS in log.curves else None
