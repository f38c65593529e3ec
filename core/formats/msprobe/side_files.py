"""The maps beside a dump.json: stack.json and construct.json, read member by member."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.formats import json_text
from core.formats.builder import DumpBuilder
from core.formats.json_file import JsonFile
from core.formats.json_members import Ending, Value, read_members


def read_map(path: str, builder: DumpBuilder) -> Iterator[list[tuple[str, Value]]]:
    """Yield the members of the JSON object in *path* in batches; note in *builder* what is wrong with it.

    An empty path or file, and ``{}``, have no members: the dumper leaves them so when it was killed early.
    """
    if not path:
        return
    try:
        with JsonFile(path) as file:
            file.skip_space()
            if not file.text:
                return
            if not file.text.startswith(b"{"):
                builder.problem("not_json", path)
                return
            file.advance(1)
            ending = Ending()
            for batch in read_members(file, ending):
                yield batch.members
            if not ending.closed:
                builder.problem("side_file_truncated", path, position=ending.position, size=file.size)
    except OSError as error:
        builder.problem("not_readable", path, reason=error.strerror or type(error).__name__)


def decode_or_none(raw: Value) -> Any:
    """Return the parsed value, ``None`` if it cannot be parsed."""
    try:
        return json_text.decode(raw)
    except ValueError:
        return None
