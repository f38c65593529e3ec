"""A step of many ranks with many calls each, written fast: the size of real training, not its arithmetic.

Calls are those of a transformer, forward and backward. Each tensor-parallel group of eight reduces twice
a layer, all ranks reduce now and then. With a birth, one rank puts out NaN from a third of its forward
calls on; its group has NaN from the next reduction, all others from the next one of all ranks.

    python tests/builders/scaled_ranks.py big --ranks 64 --operators 20000 [--born 5]
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

GROUP = 8
EVERYONE = 25
"""Every how many layers all ranks reduce."""
_LAYER = (
    "Functional.layer_norm", "Functional.linear", "Functional.scaled_dot_product_attention",
    "Functional.linear", "Distributed.all_reduce", "Tensor.__add__", "Functional.layer_norm",
    "Functional.linear", "Functional.gelu", "Functional.linear", "Distributed.all_reduce", "Tensor.__add__",
)  # fmt: skip
_HEAD = '{"type": "torch.Tensor", "dtype": "torch.bfloat16", "shape": [1, 4096, 1024], '
_TAIL = ', "requires_grad": true}'
_BAD = f'{_HEAD}"Max": NaN, "Min": NaN, "Mean": NaN, "Norm": NaN{_TAIL}'
_PLACE = '"@GROUP@"'


class _Rank:
    """The text of one rank's calls; all are bad from a call on."""

    def __init__(self, operators: int, seed: int = 0) -> None:
        self._operators = operators
        self._random = random.Random(seed)
        self._counts: dict[str, int] = {}
        self._value = self._tensor()
        self.names: list[str] = []
        self.good: list[str] = []
        self.bad: list[str] = []
        self._saved: list[str] = []
        self._make()

    def _tensor(self) -> str:
        draw = self._random.random
        return (
            f'{_HEAD}"Max": {4 + draw()!r}, "Min": {-4 - draw()!r}, "Mean": {draw() * 1e-3!r}, '
            f'"Norm": {2000 + draw()!r}{_TAIL}'
        )

    def _make(self) -> None:
        layer = 0
        share = len(_LAYER) / (2 * len(_LAYER) - sum(api.startswith("Dist") for api in _LAYER))
        while len(self.names) < self._operators * share:
            for api in _LAYER:
                self._forward(api, everyone=api.startswith("Dist") and layer % EVERYONE == EVERYONE - 1)
            layer += 1
        while self._saved and len(self.names) < self._operators:
            self._note(f"{self._saved.pop()}.backward", '"input": [{0}], "output": [{1}]', self._value)

    def _forward(self, api: str, *, everyone: bool) -> None:
        number = self._counts.get(api, 0)
        self._counts[api] = number + 1
        name = f"{api}.{number}"
        if api.startswith("Distributed"):
            named = "" if everyone else f'"group": {_PLACE}'
            after = "" if everyone else f", {_PLACE}"
            body = f'"input_args": [{{0}}], "input_kwargs": {{{{{named}}}}}, "output": [{{1}}{after}]'
        else:
            weight = f", {self._tensor()}" if api.endswith(("linear", "layer_norm")) else ""
            weight = weight.replace("{", "{{").replace("}", "}}")
            body = f'"input_args": [{{0}}{weight}], "input_kwargs": {{{{}}}}, "output": [{{1}}]'
            self._saved.append(name)
        self._note(f"{name}.forward", body, self._value)

    def _note(self, name: str, body: str, before: str) -> None:
        self._value = after = self._tensor()
        self.names.append(name)
        head = f'"{name}": {{'
        self.good.append(head + body.format(before, after) + "}")
        self.bad.append(head + body.format(_BAD, _BAD) + "}")

    def text(self, first_bad: int, *, born: bool) -> str:
        """Return the calls; from *first_bad* on they are bad, the first of them born or received."""
        calls = self.good[:first_bad] + self.bad[first_bad:]
        if first_bad < len(calls):
            good, bad = self.good[first_bad], self.bad[first_bad]
            if born or self.names[first_bad].startswith("Distributed"):
                # What goes in is finite still.
                cut = good.index('"output"')
                calls[first_bad] = good[:cut] + bad[bad.index('"output"') :]
        return ",\n".join(calls)

    def reduction(self, after: int, *, of_all: bool) -> int:
        """Return the first all-reduce from call *after* on."""
        for row in range(after, len(self.names)):
            if self.names[row].startswith("Distributed") and (not of_all or _PLACE not in self.good[row]):
                return row
        return len(self.names)


def write_scaled_ranks(folder: Path, ranks: int, operators: int, born: int = -1) -> int:
    """Write the dumps into *folder*; return their bytes. Rank *born* gives birth, none if it is -1."""
    rank = _Rank(operators)
    birth = next(row for row in range(operators // 6, operators) if "gelu" in rank.names[row])
    in_group = rank.reduction(birth, of_all=False)
    in_all = rank.reduction(birth, of_all=True)
    kinds = {
        "clean": rank.text(operators, born=False),
        "born": rank.text(birth, born=True) if born >= 0 else "",
        "group": rank.text(min(in_group, in_all), born=False) if born >= 0 else "",
        "all": rank.text(in_all, born=False) if born >= 0 else "",
    }
    head = json.dumps({"task": "statistics", "level": "L1", "framework": "pytorch", "dump_data_dir": None})
    written = 0
    for number in range(ranks):
        if born < 0:
            kind = "clean"
        elif number == born:
            kind = "born"
        else:
            kind = "group" if number // GROUP == born // GROUP else "all"
        first = number - number % GROUP
        members = list(range(first, min(first + GROUP, ranks)))
        said = {"type": "torch.ProcessGroup", "group_ranks": members, "group_id": f"{first:08x}"}
        place = folder / "step0" / f"rank{number}"
        place.mkdir(parents=True)
        text = f'{head[:-1]}, "data": {{\n{kinds[kind].replace(_PLACE, json.dumps(said))}\n}}}}'
        written += (place / "dump.json").write_bytes(text.encode())
    return written


def main() -> None:
    """Run as a script."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--operators", type=int, default=20_000)
    parser.add_argument("--born", type=int, default=-1, help="the rank that gives birth (default: none)")
    options = parser.parse_args()
    print(write_scaled_ranks(options.folder, options.ranks, options.operators, options.born))


if __name__ == "__main__":
    main()
