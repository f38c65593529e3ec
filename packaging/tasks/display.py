"""Whether this machine can show a window, and which system library is missing if it cannot."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import NamedTuple


class Library(NamedTuple):
    """A shared library that Qt loads, and the packages that bring it."""

    soname: str
    debian: str
    fedora: str


ALWAYS = (
    Library("libEGL.so.1", "libegl1", "libglvnd-egl"),
    Library("libGL.so.1", "libgl1", "libglvnd-glx"),
    Library("libfontconfig.so.1", "libfontconfig1", "fontconfig"),
    Library("libdbus-1.so.3", "libdbus-1-3", "dbus-libs"),
    Library("libglib-2.0.so.0", "libglib2.0-0", "glib2"),
    Library("libxkbcommon.so.0", "libxkbcommon0", "libxkbcommon"),
)
"""Needed by every window on Linux."""

X11 = (
    Library("libX11-xcb.so.1", "libx11-xcb1", "libX11-xcb"),
    Library("libxkbcommon-x11.so.0", "libxkbcommon-x11-0", "libxkbcommon-x11"),
    Library("libxcb-cursor.so.0", "libxcb-cursor0", "xcb-util-cursor"),
    Library("libxcb-icccm.so.4", "libxcb-icccm4", "xcb-util-wm"),
    Library("libxcb-image.so.0", "libxcb-image0", "xcb-util-image"),
    Library("libxcb-keysyms.so.1", "libxcb-keysyms1", "xcb-util-keysyms"),
    Library("libxcb-render-util.so.0", "libxcb-render-util0", "xcb-util-renderutil"),
    Library("libxcb-randr.so.0", "libxcb-randr0", "libxcb"),
    Library("libxcb-shape.so.0", "libxcb-shape0", "libxcb"),
    Library("libxcb-shm.so.0", "libxcb-shm0", "libxcb"),
    Library("libxcb-sync.so.1", "libxcb-sync1", "libxcb"),
    Library("libxcb-xfixes.so.0", "libxcb-xfixes0", "libxcb"),
    Library("libxcb-xkb.so.1", "libxcb-xkb1", "libxcb"),
)
"""Needed besides by a window under X11."""


def has_display() -> bool:
    """Tell whether there is a screen to show a window on."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def missing_libraries() -> list[Library]:
    """Return the libraries that a window would need here and that cannot be loaded."""
    if sys.platform != "linux":
        return []
    needed = ALWAYS if os.environ.get("WAYLAND_DISPLAY") else ALWAYS + X11
    return [library for library in needed if not _loads(library.soname)]


def remedy(missing: list[Library]) -> str:
    """Return what to type to install *missing*, for Debian and for Fedora."""
    names = ", ".join(library.soname for library in missing)
    debian = " ".join(dict.fromkeys(library.debian for library in missing))
    fedora = " ".join(dict.fromkeys(library.fedora for library in missing))
    return (
        f"The window needs system libraries that are not here: {names}\n"
        f"  Debian, Ubuntu:  sudo apt-get install {debian}\n"
        f"  Fedora:          sudo dnf install {fedora}"
    )


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True
