"""Ctrl-C and a request to end, as a terminal and a session manager send them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gui.processes.interruption import Interruption

PROJECT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="a process there cannot be interrupted alone")


def test_a_signal_reaches_an_idle_loop_and_is_given_back(qtbot: QtBot) -> None:
    before = signal.getsignal(signal.SIGINT)
    seen: list[str] = []
    watch = Interruption(lambda: seen.append("now"))
    watch.install()
    try:
        os.kill(os.getpid(), signal.SIGINT)
        qtbot.waitUntil(lambda: seen == ["now"], timeout=5000)
    finally:
        watch.remove()
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_window_closes_and_says_nothing(tmp_path: Path, kind: signal.Signals) -> None:
    code = "import sys; from gui.application import main; print('up', flush=True); sys.exit(main([]))"
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    with subprocess.Popen(
        [sys.executable, "-c", code], cwd=PROJECT, env={**os.environ, **home},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stdout.readline() == "up\n"
        time.sleep(2.0)  # nothing tells when its loop has become idle
        process.send_signal(kind)
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0
    assert "Traceback" not in said
