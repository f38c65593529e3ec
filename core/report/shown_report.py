"""A table as it is on show, as csv, tab-separated text or Markdown; numbers in full precision."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from core.messages import Message
from core.progress import Progress, Work
from core.report.cells import may_be_formula, safe_text
from core.report.csv_report import quoted
from core.report.markdown import markdown_rows, markdown_rule
from core.store.places import finished_file

Block = Sequence[list[str]]
"""The texts of some rows, a list a column."""


def write_shown(
    path: str | Path, heads: Sequence[str], numbers: Sequence[bool], blocks: Iterable[Block], total: int
) -> Work[str]:
    """Write *blocks* below *heads*; the ending of *path* says as what: ``.md``, ``.tsv``, else csv.

    Parameters
    ----------
    heads : of length C
        Titles of the columns.
    numbers : of length C
        Whether a column holds numbers; others are made safe from being taken for formulas.
    blocks : each of length C
        Texts, worked out one block after the other.
    total
        How many rows there are in all.

    Returns
    -------
    str
        *path*; the file has this name only when it is whole.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    try:
        yield from _written(Path(path), heads, numbers, blocks, total)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    return str(path)


def _written(
    path: Path, heads: Sequence[str], numbers: Sequence[bool], blocks: Iterable[Block], total: int
) -> Work[None]:
    ending = path.suffix.lower()
    write = {".md": markdown_rows, ".tsv": _tabs}.get(ending, _commas)
    coding = "utf-8" if ending == ".md" else "utf-8-sig"
    path.parent.mkdir(parents=True, exist_ok=True)
    done = 0
    with (
        finished_file(path) as place,
        place.open("w", encoding=coding, errors="backslashreplace", newline="") as stream,
    ):
        stream.write(write([[head] for head in heads]))
        if ending == ".md":
            stream.write(markdown_rule(numbers))
        for block in blocks:
            yield Progress(done, total, Message("progress.shown"))
            columns = list(block)
            if ending != ".md":
                columns = [texts if number else _safe(texts) for number, texts in zip(numbers, columns)]
            stream.write(write(columns))
            done += len(columns[0]) if columns else 0


def _safe(texts: list[str]) -> list[str]:
    return [safe_text(text) for text in texts] if may_be_formula(texts) else texts


def _commas(columns: list[list[str]]) -> str:
    return "".join(f"{','.join(cells)}\r\n" for cells in zip(*map(quoted, columns)))


def _tabs(columns: list[list[str]]) -> str:
    return "".join("\t".join(map(_one_line, cells)) + "\r\n" for cells in zip(*columns))


def _one_line(cell: str) -> str:
    return cell if cell.isprintable() else " ".join(cell.split())
