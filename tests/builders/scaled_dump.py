"""Make a large dump.json by repeating the operators of a real one under new names.

Repetition *i* adds *i* × 1000 to every call count, so names stay well-formed, different, and in the
order of execution; what the operators hold is real.

    python tests/builders/scaled_dump.py dump.json big/dump.json --megabytes 42 [--indent 1]
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

_COUNT = re.compile(r"\.(\d+)(?=\.(?:forward|backward|debug)$|$)")


def renamed(name: str, repetition: int) -> str:
    """Return *name* with *repetition* × 1000 added to its call count."""
    return _COUNT.sub(lambda found: f".{int(found[1]) + 1000 * repetition}", name)


def scale_dump(source: Path, target: Path, size: int, indent: int | None = 1) -> int:
    """Write the operators of *source* to *target* until it has about *size* bytes; return their number."""
    header: dict[str, Any] = json.loads(source.read_text("utf-8"))
    operators: dict[str, Any] = header["data"]
    header["data"] = {}
    head, tail = json.dumps(header, indent=indent).split("{}", 1)
    # An operator's text is the same in every repetition: the body of {"": {...}} at the right depth.
    bodies = {}
    for name, body in operators.items():
        text = json.dumps({"": {"": body}}, indent=indent)
        bodies[name] = text[
            text.index(":", text.index(":") + 1) : text.rindex("}", 0, text.rindex("}"))
        ].rstrip()
    line = "\n" + " " * (2 * indent) if indent is not None else " "
    count = written = 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        stream.write(head + "{")
        repetition = 0
        while written < size:
            for name, body in bodies.items():
                written += stream.write(
                    f"{',' if count else ''}{line}{json.dumps(renamed(name, repetition))}{body}"
                )
                count += 1
            repetition += 1
        stream.write(("\n" + " " * indent if indent is not None else "") + "}" + tail)
    return count


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--megabytes", type=float, default=42.0)
    parser.add_argument("--indent", type=int, default=1)
    options = parser.parse_args()
    print(scale_dump(options.source, options.target, int(options.megabytes * 1e6), options.indent))


if __name__ == "__main__":
    main()
