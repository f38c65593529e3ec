"""Work in other processes: results, progress, errors, cancelling, and nothing that outlives its owner."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from core.errors import InputError, Problem
from core.messages import Message
from core.progress import Progress, Work, run_to_end
from core.workers.processes import FileShortened, WorkerFailed
from core.workers.service import Service
from core.workers.together import Tickets, in_processes, together
from core.workers.worker import Worker, in_worker


def count_to(number: int) -> Work[int]:
    for done in range(number):
        yield Progress(done, number, Message("progress.measure"))
    return number


def fail() -> Work[int]:
    yield Progress(0, 1, Message("progress.measure"))
    raise ZeroDivisionError("on purpose")


def refuse(path: str) -> Work[int]:
    yield Progress(0, 1, Message("progress.measure"))
    raise InputError(Problem("store_damaged", path))


def die() -> Work[int]:
    yield Progress(0, 1, Message("progress.measure"))
    os._exit(7)


def read_what_is_cut(path: str, always: bool) -> Work[float]:
    """Map a file, cut it as another process may, and read on; *always*: whole again for the next one."""
    if always:
        Path(path).write_bytes(bytes(1 << 20))
    if Path(path).stat().st_size < 1 << 20:
        raise InputError(Problem("tensor_truncated", path, {"need": 1 << 20, "have": 0}))
    mapped = np.memmap(path, np.uint8, "r")
    yield Progress(0, 1, Message("progress.measure"))
    os.truncate(path, 10)
    return float(mapped.sum())


def take_tickets(tickets: Tickets, below: int) -> Work[list[int]]:
    taken = []
    while (first := tickets.take(2)) < below:
        taken += [first, first + 1]
        yield Progress(first, below, Message("progress.measure"))
    return taken


def sleep_for(seconds: float) -> Work[None]:
    yield Progress(0, 1, Message("progress.measure"))
    time.sleep(seconds)


def double(number: int) -> int:
    return 2 * number


def refuse_at_once(path: str) -> None:
    raise InputError(Problem("store_damaged", path))


def test_results_come_in_the_order_of_the_calls() -> None:
    assert run_to_end(in_processes([(count_to, (5,)), (count_to, (0,)), (count_to, (1000,))])) == [5, 0, 1000]


def test_progress_is_that_of_the_one_furthest_behind() -> None:
    seen: list[Progress] = []
    run_to_end(in_processes([(count_to, (2,)), (count_to, (50,))]), seen.append)
    assert seen
    assert all(progress.total in (2, 50) for progress in seen)


def test_together_shares_tickets_without_loss_or_repetition() -> None:
    tickets = Tickets()
    parts = run_to_end(together(take_tickets(tickets, 400), [(take_tickets, (tickets, 400))] * 2))
    assert len(parts) == 3
    assert sorted(number for part in parts for number in part) == list(range(400))


def test_a_failure_carries_the_traceback() -> None:
    with pytest.raises(WorkerFailed, match="on purpose"):
        run_to_end(in_processes([(count_to, (3,)), (fail, ())]))


def test_bad_input_stays_bad_input() -> None:
    with pytest.raises(InputError) as caught:
        run_to_end(in_processes([(refuse, ("/some/file",))]))
    assert caught.value.problem == Problem("store_damaged", "/some/file")


def test_a_dead_worker_is_noticed() -> None:
    with pytest.raises(WorkerFailed, match="7"):
        run_to_end(in_processes([(die, ())]))


def test_closing_the_work_ends_the_processes_at_once() -> None:
    work = in_processes([(sleep_for, (60.0,)), (sleep_for, (60.0,))])
    next(work)
    started = time.monotonic()
    work.close()
    assert time.monotonic() - started < 5


def test_a_worker_ends_with_its_parent_even_a_killed_one(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(
        "import time\n"
        "from core.workers.worker import Worker\n"
        "from tests.core.test_workers import sleep_for\n"
        "if __name__ == '__main__':\n"
        "    worker = Worker(sleep_for, 60.0)\n"
        "    worker.receive()\n"
        "    print(worker._process.pid, flush=True)\n"
        "    time.sleep(60)\n"
    )
    root = str(Path(__file__).resolve().parents[2])
    parent = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            os.kill(child, 0)
        except ProcessLookupError:
            return
        state = Path(f"/proc/{child}/stat")
        if state.exists() and state.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            return  # gone, and waiting for an init to notice
        time.sleep(0.05)
    pytest.fail("the worker outlived its parent")


def test_a_service_answers_in_order_and_survives_errors() -> None:
    service = Service()
    try:
        service.send(1, double, 21)
        service.send(2, refuse_at_once, "x")
        service.send(3, double, "no number")
        service.send(4, int, "no number")
        assert service.receive() == (1, "result", 42)
        assert service.receive() == (2, "input", Problem("store_damaged", "x"))
        assert service.receive() == (3, "result", "no numberno number")
        ticket, kind, text = service.receive()
        assert (ticket, kind) == (4, "failed")
        assert "ValueError" in text
    finally:
        service.stop()


def test_a_stopped_worker_can_be_stopped_again() -> None:
    worker = Worker(sleep_for, 60.0)
    worker.stop()
    worker.stop()


@pytest.mark.skipif(not hasattr(signal, "SIGBUS"), reason="Windows cuts no file that is mapped")
def test_a_file_that_is_cut_while_it_is_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut"
    path.write_bytes(bytes(1 << 20))
    with pytest.raises(InputError) as refused:
        run_to_end(in_worker(read_what_is_cut, str(path), False))
    assert (refused.value.problem.code, refused.value.problem.path) == ("tensor_truncated", str(path))
    with pytest.raises(FileShortened):
        run_to_end(in_worker(read_what_is_cut, str(path), True))


def test_work_in_a_worker_is_the_same_work() -> None:
    told: list[Progress] = []
    assert run_to_end(in_worker(count_to, 3), told.append) == 3
    assert [progress.done for progress in told] == [0, 1, 2]
    with pytest.raises(WorkerFailed, match="exit code 7"):
        run_to_end(in_worker(die))
