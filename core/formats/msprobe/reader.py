"""Reads one cell of an msprobe dump: dump.json (or debug.json), stack.json, construct.json, tensor files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from core.errors import Problem
from core.formats import json_text
from core.formats.builder import DumpBuilder
from core.formats.data_folder import DataFolder
from core.formats.json_file import JsonFile
from core.formats.json_members import Batch
from core.formats.json_scan import may_have_more_keys
from core.formats.msprobe.construct import Construct
from core.formats.msprobe.document import Document, NotAnObject, read_document
from core.formats.msprobe.leaves import is_leaf
from core.formats.msprobe.nodes import NodeReader
from core.formats.msprobe.stacks import read_stacks
from core.formats.msprobe.tensor_names import add_tensors
from core.messages import Message
from core.progress import Progress, Work
from core.records.dump import Dump
from core.records.run import CellSource

NAME = "msprobe"
_COLUMN_KEYS = ("task", "level", "framework")
_HEADER_KEYS = (*_COLUMN_KEYS, "dump_data_dir", "data_path")


def read(source: CellSource) -> Work[Dump]:
    """Read the dump at *source*; what is wrong with it stands in the result's ``problems``."""
    path = source.files.get("dump", "")
    folder = DataFolder(source.files.get("data") or str(Path(path).parent / "dump_tensor_data"))
    builder = DumpBuilder(NAME, path, folder)
    if not path:
        add_tensors(builder)
        return builder.build()
    operators = _OperatorReader(builder, path)
    try:
        with JsonFile(path) as file:
            yield from operators.read(file)
    except OSError as error:
        builder.problem("not_readable", path, reason=error.strerror or type(error).__name__)
    if errors := source.files.get("errors"):
        builder.problems.append(_error_log(errors))
    construct = Construct(builder)
    yield from construct.read(source.files.get("construct", ""))
    structure = builder.task == "structure"
    if structure:
        construct.add_operators()
    yield from read_stacks(source.files.get("stack", ""), builder, add_operators=structure)
    construct.apply()
    if not builder.names and not builder.problems:
        builder.problem("no_operators", path)
    builder.problems += operators.odd.problems(path)
    return builder.build()


def _error_log(path: str) -> Problem:
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as stream:
            line = stream.readline(500).strip()
    except OSError as error:
        return Problem("not_readable", path, {"reason": error.strerror or type(error).__name__})
    return Problem("dumper_reported_errors", path, {"line": line})


class _OperatorReader:
    """Reads dump.json into *builder* and notes what is wrong with it."""

    def __init__(self, builder: DumpBuilder, path: str) -> None:
        self._builder = builder
        self._path = path
        self._nodes = NodeReader(builder)
        self.odd = self._nodes.odd
        """Values of a type that is not foreseen, those of the header among them."""
        self._debug = Path(path).name == "debug.json"
        self._broken: list[str] = []
        self._deep: list[str] = []
        self._repeated_keys = 0

    def read(self, file: JsonFile) -> Work[None]:
        document = Document()
        before = Path(self._path).stat()
        try:
            for batch in read_document(file, document):
                self._add_batch(batch, document.header)
                yield Progress(file.position, file.size, Message("progress.read", {"path": self._path}))
        except NotAnObject:
            self._builder.problem("not_json" if file.text else "empty_file", self._path)
            return
        after = Path(self._path).stat()
        if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
            self._builder.problem("changed_while_reading", self._path)
        self._take_header(document.header)
        self._note_problems(document, file)

    def _add_batch(self, batch: Batch, header: dict[str, Any]) -> None:
        nodes = self._nodes
        before = nodes.keys
        if len(batch.members) < 16 and self._add_single(batch):
            return
        for name, raw in batch.members:
            try:
                value = json_text.decode(raw)
                if name in _HEADER_KEYS and not isinstance(value, (dict, list)):
                    header[name] = value  # the file is the bare map of operators, with a header inside
                else:
                    nodes.add(name, value, debug=self._debug)
            except (json_text.TooDeep, RecursionError):
                self._deep.append(name)
            except ValueError:
                self._broken.append(name)
        self._broken += [""] * batch.broken
        if may_have_more_keys(batch.text, nodes.keys - before + len(batch.members)):
            self._repeated_keys += sum(json_text.duplicate_keys(bytes(raw)) for _, raw in batch.members)

    def _add_single(self, batch: Batch) -> bool:
        """Add the members together as one value, if that is what they are: ``{"max": .., "shape": ..}``."""
        if not {"max", "shape"} <= {name for name, _ in batch.members}:
            return False
        try:
            leaf = {name: json_text.decode(raw) for name, raw in batch.members}
        except ValueError:
            return False
        if is_leaf(leaf):
            self._nodes.add(Path(self._path).stem, leaf, debug=True)
        return is_leaf(leaf)

    def _take_header(self, header: dict[str, Any]) -> None:
        builder = self._builder
        for key, value in header.items():
            if key in _COLUMN_KEYS and json_text.is_text(value):
                setattr(builder, key, value)
            else:
                builder.header[key] = json_text.dumps(value)
                told = key in _HEADER_KEYS and value is not None and not json_text.is_text(value)
                if told or key == "data":
                    self.odd.add(key)

    def _note_problems(self, document: Document, file: JsonFile) -> None:
        builder, path = self._builder, self._path
        if not document.complete:
            kept = len(builder.names) - builder.repeated
            builder.problem("truncated", path, count=kept, position=document.position, size=file.size)
        elif document.trailing:
            builder.problem("trailing_text", path, position=file.position)
        if self._broken:
            builder.problem("broken_operators", path, count=len(self._broken), name=self._broken[0])
        if self._deep:
            builder.problem("too_deep", path, count=len(self._deep), name=self._deep[0])
        if builder.repeated:
            builder.problem("repeated_names", path, count=builder.repeated)
        if self._repeated_keys:
            builder.problem("repeated_keys", path, count=self._repeated_keys)
