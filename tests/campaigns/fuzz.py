"""Damage real dumps and tensor files at random and read them: a reader answers with problems, whatever comes.

It may not raise anything but its own error, not hang, not need unbounded memory and not touch the files.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random

from campaign import Failure, run

from core.errors import InputError, Problem
from core.formats.registry import find_run, read_cell
from core.formats.tensors import TensorError, list_tensors, open_tensor
from core.progress import run_to_end
from core.records.dump import Dump

PROJECT = Path(__file__).resolve().parents[2]
DUMPS = PROJECT / "tests" / "data"
CASES = Path(os.environ.get("ULPSCOPE_CASES", PROJECT.parent / "shared" / "cases"))
"""More dumps, used when they are there: those in the layout of ptdbg_ascend."""
MEMORY = 3 << 30
TOKENS = (
    b"NaN", b"-Infinity", b"null", b"true", b"-1", b"1e999", b"99999999999999999999", b"{}", b"[]", b'""',
    b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\u0000", b"\\ud800", b"\xff\xfe", b"\x00",
    b"../../../etc/passwd",
    b"torch.Tensor", b"[" * 2000, b'{"a":' * 2000,
)  # fmt: skip


def damage(content: bytes, random: Random, other: bytes) -> bytes:
    """Return *content* with one to four things done to it; *other* is a file to take pieces from."""
    for _ in range(random.randint(1, 4)):
        size = len(content)
        start = random.randrange(size + 1)
        stop = min(size, start + random.choice((1, 2, 8, 64, 1024)))
        piece = random.randrange(len(other) + 1)
        change = random.choice(("flip", "cut", "end", "token", "bytes", "twice", "splice", "empty"))
        if change == "flip" and size:
            position = random.randrange(size)
            flipped = content[position] ^ (1 << random.randrange(8))
            content = content[:position] + bytes((flipped,)) + content[position + 1 :]
        elif change == "cut":
            content = content[:start] + content[stop:]
        elif change == "end":
            content = content[:start]
        elif change == "token":
            content = content[:start] + random.choice(TOKENS) + content[random.choice((start, stop)) :]
        elif change == "bytes":
            content = content[:start] + random.randbytes(stop - start) + content[stop:]
        elif change == "twice":
            content = content[:stop] + content[start:]
        elif change == "splice":
            content = content[:start] + other[piece : piece + 512] + content[stop:]
        elif random.random() < 0.05:
            content = b""
    return content


def described(problems: tuple[Problem, ...]) -> str:
    """Render all *problems*, which must work for any of them, and say whether there are some."""
    for problem in problems:
        if not problem.sentence("en") or not problem.sentence("zh_CN"):
            raise Failure(f"{problem.code} says nothing")
    return "with problems" if problems else "without"


def read_damaged_cell(random: Random) -> str:
    """Damage one of the documents of a cell and read the cell."""
    documents = [*sorted(DUMPS.glob("msprobe/**/*.json")), *sorted(CASES.glob("legacy/**/*.pkl"))]
    chosen, other = random.choice(documents), random.choice(documents)
    with tempfile.TemporaryDirectory() as folder:
        run_folder = Path(folder)
        cell = run_folder / chosen.parent.parent.name / chosen.parent.name
        cell.mkdir(parents=True)
        for file in chosen.parent.iterdir():
            if file.is_file():
                shutil.copyfile(file, cell / file.name)
        content = damage(chosen.read_bytes(), random, other.read_bytes())
        (cell / chosen.name).write_bytes(content)
        try:
            found = find_run(str(run_folder))
            dumps = [run_to_end(read_cell(source)) for source in found.cells.values()]
        except InputError as error:
            described((error.problem,))
            return "cells refused"
        for dump in dumps:
            check_whole(dump)
        if (cell / chosen.name).read_bytes() != content:
            raise Failure(f"reading changed {chosen.name}")
        problems = found.problems + tuple(problem for dump in dumps for problem in dump.problems)
        return f"cells read {described(problems)}"


def check_whole(dump: Dump) -> None:
    """See that every id of *dump* points into its pool and every slot belongs to one operator."""
    for operator in range(len(dump.operators)):
        dump.operator_name(operator)
        for slot in dump.slots_of(operator):
            if int(dump.slots.operator[slot]) != operator:
                raise Failure(f"slot {slot} is not of operator {operator}")
    for slot in range(len(dump.slots)):
        dump.slot_name(slot)
        dump.shape(slot)
        dump.dtype(slot)


def read_damaged_tensor(random: Random) -> str:
    """Damage a tensor file and read all that it holds."""
    files = sorted(
        file for file in DUMPS.rglob("*") if file.suffix in (".pt", ".npy", ".npz", ".safetensors")
    )
    chosen, other = random.choice(files), random.choice(files)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / chosen.name
        path.write_bytes(damage(chosen.read_bytes(), random, other.read_bytes()))
        dtype = random.choice((None, "torch.float32", "torch.bfloat16", "torch.int64", "nonsense"))
        try:
            for member in list_tensors(str(path)):
                with open_tensor(str(path), dtype=dtype, member=member or None) as handle:
                    for chunk in handle.chunks(4096):
                        chunk.tobytes()
        except TensorError as error:
            described((error.problem,))
            return "tensors refused"
        return "tensors read"


def trial(random: Random) -> str:
    """Damage and read one thing."""
    return random.choice((read_damaged_cell, read_damaged_tensor))(random)


def limit_memory() -> None:
    """Make an attempt to allocate what a damaged size asks for fail, where the system can."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    limit_memory()
    run("fuzz", trial)
