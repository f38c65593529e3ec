"""The one door from the command line to the window."""

from __future__ import annotations

import sys

from core.cli.display import has_display
from core.cli.status import Status
from core.messages import text


def open_window(paths: list[str]) -> int:
    """Open the window on *paths* and return its exit status when it is closed."""
    if not has_display():
        print(f"ulpscope: {text('cli.no_display')}", file=sys.stderr)
        return Status.TROUBLE
    try:
        from gui.application import main
    except ImportError as error:
        # A server install may lack Qt, or the system libraries Qt needs.
        print(f"ulpscope: {text('cli.no_window', why=str(error))}", file=sys.stderr)
        return Status.TROUBLE
    return main(paths)
