"""What a path is that someone wants to open, by its name alone."""

from __future__ import annotations

import re
from pathlib import Path

RESULT_SUFFIXES = (".h5", ".hdf5")
_TARGET_WORDS = re.compile(r"(?<![a-z])(npu|ascend|910[a-z]?|target)(?![a-z])")
_GOLDEN_WORDS = re.compile(r"(?<![a-z])(gpu|cuda|cpu|bench|golden|reference|ref|a100|h100|v100)(?![a-z])")
_DUMP_FILE = re.compile(r"(dump|stack|construct|debug|api_stack)[^/]*\.(json|pkl)", re.IGNORECASE)
_OFFICIAL_ANSWER = re.compile(r"anomaly_analyze.*\.json", re.IGNORECASE)


def guess_order(first: str, second: str) -> tuple[str, str]:
    """Return (target, golden) by what the names say; as given when they say nothing."""

    def leaning(path: str) -> int:
        name = Path(path).name.lower().replace("_", " ").replace("-", " ")
        return len(_TARGET_WORDS.findall(name)) - len(_GOLDEN_WORDS.findall(name))

    return (second, first) if leaning(second) > leaning(first) else (first, second)


def is_result_file(path: str) -> bool:
    """Return whether *path* looks like a file that holds a finished comparison."""
    return path.lower().endswith(RESULT_SUFFIXES) and Path(path).is_file()


def is_official_answer(path: str) -> bool:
    """Return whether *path* looks like what the official overflow analyser wrote."""
    return bool(_OFFICIAL_ANSWER.fullmatch(Path(path).name)) and Path(path).is_file()


def may_be_log(path: str) -> bool:
    """Return whether *path* may be a training log: a file, and by its name nothing else that is opened."""
    if is_official_answer(path) or is_result_file(path) or _DUMP_FILE.fullmatch(Path(path).name):
        return False
    return Path(path).is_file()


def stands_alone(path: str) -> bool:
    """Return whether *path* is opened by itself: it is no run that could be one side of a pair."""
    return is_result_file(path) or is_official_answer(path) or may_be_log(path)
