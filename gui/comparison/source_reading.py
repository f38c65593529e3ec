"""Reads the source of a frame in the service process, wherever it lies now. Imports no Qt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.records.stacks import Frame

if TYPE_CHECKING:
    from core.formats.source_lines import SourceLines


def read_source(frame: Frame, rules: tuple[tuple[str, str], ...]) -> SourceLines:
    """Return the lines around *frame*; *rules* say which folder stands here for which of the dump's."""
    from core.formats.path_mapping import PathMapping
    from core.formats.source_lines import source_around

    return source_around(PathMapping(rules).find(frame.path), frame.line, frame.code)
