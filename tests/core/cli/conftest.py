"""Running a command in this process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.cli.main import main


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Return a function that runs a command; gives the exit status and what it printed, out and err."""

    def call_main(*words: Any) -> tuple[int, str, str]:
        status = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return status, out, err

    return call_main
