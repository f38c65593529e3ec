"""Damage real dumps and tensor files at random and read them: a reader answers with problems, whatever comes.

It may not raise anything but its own error, not hang, not need unbounded memory and not touch the files.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from functools import cache
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
    return "with problems" if problems else "without problems"


def read_damaged_cell(random: Random) -> str:
    """Damage one of the documents of a cell and read the cell."""
    chosen, other = random.choice(documents()), random.choice(documents())
    with tempfile.TemporaryDirectory() as folder:
        cell = copy_cell(chosen, Path(folder))
        content = damage(chosen.read_bytes(), random, other.read_bytes())
        (cell / chosen.name).write_bytes(content)
        outcome = read_all(folder)
        if (cell / chosen.name).read_bytes() != content:
            raise Failure(f"reading changed {chosen.name}")
    return f"damaged cells {outcome}"


def read_rearranged_run(random: Random) -> str:
    """Take files of a run away, put others in their place, and read what is left."""
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(random.randint(1, 3)):
            copy_cell(random.choice(documents()), Path(folder))
        for _ in range(random.randint(1, 4)):
            rearrange(Path(folder), random)
        return f"rearranged runs {read_all(folder)}"


def rearrange(folder: Path, random: Random) -> None:
    """Do one thing to one entry somewhere in *folder*."""
    entries = sorted(folder.rglob("*"))
    if not entries:
        return
    entry = random.choice(entries)
    names = (
        "step7",
        "rank",
        "rank01",
        "proc12",
        "dump.json",
        "stack.json",
        "debug.json",
        "dump_tensor_data",
        "数据 ",
    )
    change = random.choice(("remove", "rename", "empty", "folder", "loop", "nowhere", "move"))
    if change == "rename":
        target = entry.with_name(random.choice(names))
        if not os.path.lexists(target):
            entry.rename(target)
        return
    if change == "move":
        target = folder / entry.name
        if not os.path.lexists(target):
            entry.rename(target)
        return
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry)
    else:
        entry.unlink()
    if change == "empty":
        entry.touch()
    elif change == "folder":
        entry.mkdir()
    elif change == "loop":
        entry.symlink_to(folder, target_is_directory=True)
    elif change == "nowhere":
        entry.symlink_to(folder / "not there")


@cache
def documents() -> list[Path]:
    """Return the files that dumps are described by."""
    return [*sorted(DUMPS.glob("msprobe/**/*.json")), *sorted(CASES.glob("legacy/**/*.pkl"))]


def copy_cell(document: Path, folder: Path) -> Path:
    """Copy the files beside *document*, and the two folders they are in, into *folder*."""
    cell = folder / document.parent.parent.name / document.parent.name
    cell.mkdir(parents=True, exist_ok=True)
    for file in document.parent.iterdir():
        if file.is_file():
            shutil.copyfile(file, cell / file.name)
    return cell


def read_all(folder: str) -> str:
    """Read every cell under *folder*, check what comes, and say in a word what came."""
    try:
        found = find_run(folder)
        dumps = [run_to_end(read_cell(source)) for source in found.cells.values()]
    except InputError as error:
        described((error.problem,))
        return "refused"
    for dump in dumps:
        check_whole(dump)
    problems = found.problems + tuple(problem for dump in dumps for problem in dump.problems)
    return f"read {described(problems)}"


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
            return "damaged tensors refused"
        return "damaged tensors read"


def trial(random: Random) -> str:
    """Damage and read one thing."""
    return random.choice((read_damaged_cell, read_rearranged_run, read_damaged_tensor))(random)


def limit_memory() -> None:
    """Make an attempt to allocate what a damaged size asks for fail, where the system can."""
    if sys.platform == "linux":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    limit_memory()
    run("fuzz", trial)
