"""Whether a window could be shown here."""

from __future__ import annotations

import os
import sys


def has_display() -> bool:
    """Return whether there is a display, or a Qt platform that needs none was asked for."""
    if sys.platform != "linux":
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
