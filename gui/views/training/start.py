"""The way to a log of which overflow is looked at."""

from __future__ import annotations

from gui.training.state import TrainingState
from gui.widgets.log_start import LogStart, StartCodes

_CODES = StartCodes(
    title="gui.training.drop", help="gui.training.drop.help", open="gui.training.open",
    near="gui.training.near",
)  # fmt: skip


class StartCard(LogStart):
    """Offers the logs that *state* has found."""

    def __init__(self, state: TrainingState) -> None:
        super().__init__(_CODES)
        self._state = state
        state.logs_changed.connect(self._offer)
        self._offer()

    def _offer(self) -> None:
        self.show_logs(self._state.logs)
