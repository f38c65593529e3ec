"""The window as a program: application, scheme, language, what happens when something breaks."""

from __future__ import annotations

import logging
import os
import sys
import threading
import traceback
from functools import partial
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

os.environ.setdefault("QT_API", "pyside6")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from core.messages import LANGUAGES, Message, chosen_language, set_language
from gui.looks.icons import icon_path
from gui.looks.theme import Theme
from gui.main_window import MainWindow
from gui.processes.interruption import Interruption
from gui.settings import SettingsFile

LOG = logging.getLogger("ulpscope")


class FailureReporter(QObject):
    """Turns an exception that nothing caught into a log entry and a notice; the window goes on."""

    failed = Signal(str)
    """A traceback."""

    def install(self) -> None:
        """Become the hook of this process and its threads."""
        sys.excepthook = self._report
        threading.excepthook = self._report_thread

    def remove(self) -> None:
        """Put Python's own hooks back."""
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def _report(self, kind: type[BaseException], error: BaseException, place: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        words = "".join(traceback.format_exception(kind, error, place))
        LOG.error("unexpected exception\n%s", words)
        sys.__excepthook__(kind, error, place)
        self.failed.emit(words)

    def _report_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self._report(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def log_file() -> Path:
    """Return where the window's log lies."""
    import platformdirs

    return Path(platformdirs.user_log_dir("ulpscope", appauthor=False)) / "window.log"


def _start_log() -> None:
    try:
        log_file().parent.mkdir(parents=True, exist_ok=True)
        handler = RotatingFileHandler(
            log_file(), maxBytes=500_000, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:  # a home that cannot be written to costs the log, not the window
        return
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    LOG.addHandler(handler)
    LOG.propagate = False


def make_window(application: QApplication, keeper: SettingsFile | None = None) -> MainWindow:
    """Return the window with its scheme and language as remembered; not shown yet."""
    keeper = keeper or SettingsFile()
    settings = keeper.load()
    if settings.language in LANGUAGES and chosen_language() is None:  # the command line goes first
        set_language(settings.language)
    theme = application.findChild(Theme) or Theme(application)
    theme.set_mode(settings.theme)
    return MainWindow(theme, settings, keeper)


def main(arguments: list[str]) -> int:
    """Open the window on the paths in *arguments*; return the exit status when it is closed."""
    QApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    application = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(application, QApplication)
    application.setApplicationName("ulpscope")
    application.setDesktopFileName("ulpscope")
    application.setWindowIcon(QIcon(icon_path("ulpscope")))
    _start_log()
    reporter = FailureReporter()
    reporter.install()
    window = make_window(application)
    reporter.failed.connect(partial(window.notice.say, Message("gui.notice.unexpected")))
    interruption = Interruption(window.close)
    interruption.install()
    try:
        window.start(arguments)
        return application.exec()
    finally:
        interruption.remove()
        reporter.remove()
        window.session.close()
