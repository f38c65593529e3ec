"""What runs in worker processes for the difference of sources: the core's jobs.

Imports no Qt, and nothing heavy before it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.progress import Work

if TYPE_CHECKING:
    from core.precheck.source.records import DifferenceOptions, FileDifference, TreeDifference


def compare(
    target: tuple[str, ...], golden: tuple[str, ...], options: DifferenceOptions
) -> Work[TreeDifference]:
    """Compare two folders of source; equal files and places, which nobody asks for, do not come along."""
    from dataclasses import replace

    from core.precheck.source.records import FileState
    from core.precheck.source.trees import compare_trees

    found = yield from compare_trees(target, golden, options)
    files = tuple(replace(file, places=()) for file in found.files if file.state is not FileState.EQUAL)
    return replace(found, files=files, left_off=len(found.files) - len(files))


def read_file(target: str, golden: str, options: DifferenceOptions) -> FileDifference:
    """Lay two files beside each other; an empty path is a file that a side does not have."""
    from core.precheck.source.difference import compare_files

    return compare_files(target, golden, options)
