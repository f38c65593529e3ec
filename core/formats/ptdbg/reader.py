"""Reads one cell of a ptdbg_ascend dump (2023 to 2024): ``.pkl`` files of JSON lines, and ``.npy`` files."""

from __future__ import annotations

from pathlib import Path

from core.formats import json_text
from core.formats.builder import DumpBuilder, Template
from core.formats.data_folder import DataFolder
from core.formats.json_file import LONGEST
from core.formats.natural import natural_key
from core.formats.ptdbg.lines import StackLine, ValueLine, read_line, split_prefix
from core.messages import Message
from core.progress import Progress, Work
from core.records.columns import ABSENT
from core.records.dump import Dump, SlotKind
from core.records.run import CellSource
from core.records.stacks import encode_stack

NAME = "ptdbg"
_PROGRESS_LINES = 4096


def read(source: CellSource) -> Work[Dump]:
    """Read the dump at *source*; what is wrong with it stands in the result's ``problems``."""
    roles = sorted((role for role in source.files if role.startswith("dump")), key=natural_key)
    paths = [source.files[role] for role in roles]
    builder = DumpBuilder(NAME, paths[0] if paths else "", DataFolder(source.files.get("data", "")))
    builder.framework = "pytorch"
    if not paths:
        _add_files(builder)
        return builder.build()
    lines = _LineReader(builder)
    for path in paths:
        # An overflow dump is a file for each operator, with a folder of its own for the tensors.
        yield from lines.read(path, f"{Path(path).stem}/" if len(paths) > 1 else "")
    lines.finish(paths[0])
    builder.share_stacks()
    return builder.build()


def _add_files(builder: DumpBuilder) -> None:
    """Add what the names of the tensor files say: the run was killed before it wrote its ``.pkl``."""
    names = builder.folder.in_written_order()
    for name in names:
        operator, group, path = split_prefix(name.rpartition(".")[0])
        _go_to(builder, operator)
        slot = builder.slot(builder.template(Template(int(group), path, int(SlotKind.TENSOR))))
        builder.file.set(slot, builder.strings(name))
    builder.problem("only_tensor_files", builder.folder.path, count=len(names))


def _go_to(builder: DumpBuilder, operator: str) -> int:
    """Begin *operator*, or go on with it; return its row."""
    row = builder.row_of(operator)
    if row < 0:
        return builder.operator(operator)
    builder.resume(row)
    return row


class _LineReader:
    """Adds lines to *builder* and notes what is wrong with them."""

    def __init__(self, builder: DumpBuilder) -> None:
        self._builder = builder
        self._current, self._row = "", ABSENT
        # What each value said when it was first seen: a run that stopped twice wrote itself twice.
        self._seen: dict[str, int] = {}
        self._differing: list[str] = []
        self._steps: set[str] = set()
        self._has_files: dict[str, bool] = {}

    def read(self, path: str, folder: str) -> Work[None]:
        """Read the ``.pkl`` at *path*, whose tensors lie in *folder* of the data folder."""
        builder = self._builder
        before = len(builder.slots)
        broken = position = 0
        try:
            size = Path(path).stat().st_size
            if not size:
                builder.problem("empty_file", path)
            with Path(path).open("rb") as stream:
                for number, line in enumerate(iter(lambda: stream.readline(LONGEST), b"")):
                    text = line.removeprefix(b"\xef\xbb\xbf").strip(b"\0 \t\r\n")
                    if number == 0 and text and not text.startswith(b"["):
                        builder.problem("legacy_pickle_refused", path)
                        return
                    try:
                        if text:
                            self._add(text, folder)
                    except ValueError:
                        if not line.endswith(b"\n"):
                            count = len(builder.slots) - before
                            builder.problem(
                                "lines_truncated", path, count=count, position=position, size=size
                            )
                            return
                        broken += 1
                    position += len(line)
                    if number % _PROGRESS_LINES == 0:
                        yield Progress(position, size, Message("progress.read", {"path": path}))
        except OSError as error:
            builder.problem("not_readable", path, reason=error.strerror or type(error).__name__)
        if broken:
            builder.problem("broken_lines", path, count=broken)

    def finish(self, path: str) -> None:
        """Note what holds for all files together."""
        builder = self._builder
        if self._steps:
            builder.header["dump_step"] = "[" + ",".join(sorted(self._steps, key=natural_key)) + "]"
        if self._differing:
            count = len(self._differing)
            builder.problem("differing_duplicates", path, count=count, name=self._differing[0])
        if not builder.names and not builder.problems:
            builder.problem("no_operators", path)

    def _add(self, text: bytes, folder: str) -> None:
        builder = self._builder
        line = read_line(text)
        if isinstance(line, StackLine):
            row = self._begin(line.operator)
            if line.frames:
                builder.stack.set(row, builder.stacks(encode_stack(line.frames)))
            return
        said = hash(text)
        first = self._seen.get(folder + line.prefix)
        if first is not None:
            if first != said:
                self._differing.append(line.prefix)
            return
        self._seen[folder + line.prefix] = said
        self._steps.add(json_text.dumps(line.step))
        operator, group, path = split_prefix(line.prefix)
        self._begin(operator)
        kind = SlotKind.ARGUMENT if line.scalar else SlotKind.TENSOR
        type_, dtype = (line.dtype, None) if line.scalar else (None, line.dtype)
        shape = None if line.scalar else line.shape
        template = Template(int(group), path, int(kind), type_, dtype, shape, ABSENT, line.statistics.known)
        slot = builder.slot(builder.template(template), *line.statistics[1:5])
        for column, text_of in (
            (builder.checksum, line.checksum),
            (builder.value, line.value),
            (builder.extra, line.extra),
            (builder.file, self._file(line, folder)),
        ):
            column.set(slot, builder.strings(text_of))

    def _begin(self, operator: str) -> int:
        if operator != self._current:
            self._row = _go_to(self._builder, operator)
            self._current = operator
        return self._row

    def _file(self, line: ValueLine, folder: str) -> str | None:
        """Return the tensor file of a value; scalars are saved by some versions only."""
        name = f"{folder}{line.prefix}.npy"
        files = self._builder.folder
        if folder not in self._has_files:
            there = files.find(name) is not None
            self._has_files[folder] = there or any(key.startswith(folder) for key in files.files)
        if not self._has_files[folder] or (line.scalar and files.find(name) is None):
            return None
        return name
