"""The rounds of the target on show: which targets met this golden before, and what became of each call."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal

from core.messages import Message
from core.store.moved import load_moved, path_now
from core.store.rounds import Round, load_rounds, save_rounds
from gui.comparison import rounds_work
from gui.comparison.rounds_work import FoundRounds
from gui.opening import is_result_file
from gui.processes.work_state import Stage, WorkState

if TYPE_CHECKING:
    from gui.session import Session


class RoundsState(WorkState):
    """The list of rounds against the golden that is open, and two of them compared."""

    joined = Signal()
    """The pair on show has become the next round."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, Message("gui.rounds.crashed"))
        self._session = session
        self.rounds: tuple[Round, ...] = ()
        self.at = -1
        """Which of them is on show; -1 for none."""
        self.base = -1
        """Which of them it is compared with; -1 for none."""
        self.found: FoundRounds | None = None
        self._before: Round | None = None
        """What was on show when the next round was asked for."""
        self._awaited = ""
        session.opened.connect(self._open)

    # ---- the list

    def next_round(self, path: str) -> None:
        """Compare the target at *path*, or the result there, with the golden on show, as the next round."""
        session = self._session
        if not session.golden_path:
            return
        self._before, self._awaited = self._on_show(), str(Path(path).expanduser().absolute())
        golden = "" if is_result_file(path) else path_now(session.golden_path, load_moved())
        session.open_pair(path, golden)

    def show_round(self, number: int) -> None:
        """Open round *number* of the list."""
        chosen = self.rounds[number]
        if number != self.at:
            there = Path(chosen.result).is_file() and not Path(chosen.target).exists()
            golden = self._session.golden_path
            self._session.open_pair(*((chosen.result, "") if there else (chosen.target, golden)))

    def compare_with(self, number: int) -> None:
        """Compare the round on show with round *number*."""
        if self.at >= 0 and number != self.at and 0 <= number < len(self.rounds):
            self.base = number
            self.start()

    def leave(self) -> None:
        """Take the pair on show out of the list."""
        if self.at >= 0:
            self._keep(tuple(one for number, one in enumerate(self.rounds) if number != self.at))
            self._drop_job()
            self.at = self.base = -1
            self._enter(Stage.NOTHING)

    def start(self) -> None:
        """Compare the round on show with the one chosen."""
        self._drop_job()
        session = self._session
        if self.base < 0 or not session.result_path:
            self._enter(Stage.NOTHING)
            return
        before = self.rounds[self.base]
        self._begin(
            session.tasks.start(rounds_work.compare, before, session.golden_path, session.result_path)
        )

    def show_call(self, call: int) -> bool:
        """Select *call*, a place in what was found, in its step and rank; False if this round lacks it."""
        found = self.found
        row = -1 if found is None else int(found.calls.row_after[call])
        if found is None or row < 0:
            return False
        self._session.show_row(found.cells[int(found.cell[call])], row)
        return True

    # ---- following the session

    def _on_show(self) -> Round:
        session = self._session
        created = session.info.created if session.info is not None else ""
        return Round(session.target_path, session.result_path, created)

    def _open(self) -> None:
        """Find the pair that was opened among the rounds of its golden, or add it to them."""
        self._drop_job()
        session, now = self._session, self._on_show()
        before, awaited = self._before, self._awaited
        self._before, self._awaited = None, ""
        self.rounds = load_rounds(session.golden_path) if session.golden_path else ()
        came = before is not None and bool(session.golden_path) and awaited in (now.target, now.result)
        if came and before is not None:
            if _place(self.rounds, before) < 0:
                self.rounds = (*self.rounds, before)
            self._keep((*(one for one in self.rounds if one.result != now.result), now))
        self.at = _place(self.rounds, now)
        if self.at >= 0 and self.rounds[self.at] != now:
            kept = list(self.rounds)
            kept[self.at] = replace(now)
            self._keep(tuple(kept))
        self.base = self.at - 1
        if came or self.base < 0 or Path(self.rounds[self.base].result).is_file():
            self.start()
        else:  # comparing the earlier target again may take long: only when it is asked for
            self._enter(Stage.STOPPED)
        if came:
            self.joined.emit()

    def _keep(self, rounds: tuple[Round, ...]) -> None:
        self.rounds = rounds
        try:
            save_rounds(self._session.golden_path, rounds)
        except OSError as error:
            self._session.noticed.emit(Message("gui.diagnosis.not_saved", {"why": str(error)}), "")

    def _show_answer(self, answer: FoundRounds) -> None:
        self.found = answer
        self._enter(Stage.READY)

    def _forget_answer(self) -> None:
        self.found = None


def _place(rounds: tuple[Round, ...], wanted: Round) -> int:
    """Return where *wanted* is among *rounds*: by its result, else the latest of its target; -1 nowhere."""
    for same in (lambda one: one.result == wanted.result, lambda one: one.target == wanted.target):
        found = [number for number, one in enumerate(rounds) if same(one)]
        if found:
            return found[-1]
    return -1
