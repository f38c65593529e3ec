"""Two sides' settings beside each other: what is equal, what differs, what only one side says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from core.messages import Message
from core.precheck.configuration import Configuration, How, Known
from core.precheck.pair import Pair
from core.precheck.settings.places import is_doubtful
from core.precheck.settings.table import SettingRow, shipped_settings
from core.precheck.settings.values import SettingKind, folded, same_meaning, text_of
from core.records.evidence import Dialect, Place, Setting
from core.records.precheck import Item, Standing

_ALL = frozenset((Dialect.MEGATRON,))
"""Frameworks with one command line for model, data and training alike, so that nothing stands elsewhere."""


@dataclass(frozen=True)
class Comparison:
    """The settings of one check, compared."""

    items: tuple[Item, ...] = ()
    failing: tuple[Item, ...] = ()
    """Those that count against the pair."""
    open: tuple[Item, ...] = ()
    """Those that are said, but not known: the row does not pass before they are."""
    compared: frozenset[str] = frozenset()
    """Names of which both sides' values are known."""
    agreeing: int = 0
    untouched: int = 0
    """How many of those are a framework's default on both sides."""

    def __add__(self, other: Comparison) -> Comparison:
        return Comparison(
            (*self.items, *other.items),
            (*self.failing, *other.failing),
            (*self.open, *other.open),
            self.compared | other.compared,
            self.agreeing + other.agreeing,
            self.untouched + other.untouched,
        )

    @property
    def one_sided(self) -> Item | None:
        """The first of what only one side tells, and the other one may have."""
        sides = (Standing.TARGET_ONLY, Standing.GOLDEN_ONLY)
        return next((item for item in self.items if item.standing in sides), None)


class Cell(NamedTuple):
    """What one side has for an item."""

    text: str = ""
    place: Place | None = None


def item_of(name: str, cells: Sequence[Cell], standing: Standing, remark: Message | None = None) -> Item:
    """Return the item that two cells make, the target's and the golden's."""
    target, golden = cells
    return Item(name, target.text, golden.text, standing, target.place, golden.place, remark)


def rows_of(check: str) -> list[SettingRow]:
    """Return the settings that *check* compares."""
    return [row for row in shipped_settings().rows.values() if row.check == check]


def compare(pair: Pair, rows: Iterable[SettingRow]) -> Comparison:
    """Lay the settings of both sides on each other.

    What a side does not say is unknown, unless all its settings are told: then it has its framework's
    default, and where the table has none, it counts that somebody typed it on the other side.
    """
    target, golden = pair.target.configuration, pair.golden.configuration
    items: list[Item] = []
    failing: list[Item] = []
    compared: set[str] = set()
    agreeing = untouched = 0
    for row in rows:
        first, second = target.get(row.name), golden.get(row.name)
        item, counts = _compared(row, target, golden)
        if first is not None and second is not None:
            compared.add(row.name)
            agree = same_meaning(first.value, second.value)
            agreeing += agree
            untouched += agree and {first.how, second.how} == {How.DEFAULT}
        items += [item] if item is not None else []
        failing += [item] if item is not None and counts else []
    unknown = tuple(item for item in items if item.standing is Standing.UNKNOWN)
    return Comparison(tuple(items), tuple(failing), unknown, frozenset(compared), agreeing, untouched)


def _compared(row: SettingRow, target: Configuration, golden: Configuration) -> tuple[Item | None, bool]:
    """Return the item of a setting, ``None`` where there is nothing to say, and whether it counts."""
    if row.name in target.contested or row.name in golden.contested:
        return _contested(row, target, golden)
    first, second = target.get(row.name), golden.get(row.name)
    if first is not None and second is not None:
        if not same_meaning(first.value, second.value):
            item = both(row.name, first, second)
            if _is_settled(row, target, golden):
                return _as_remark(item, row), False
            if row.kind is SettingKind.PLACES and is_doubtful(first.value, second.value):
                remark = Message("precheck.setting.place.doubtful")
                return replace(item, standing=Standing.UNKNOWN, remark=remark), False
            if cause := _cause(row, target, golden):
                remark = Message("precheck.setting.follows", {"name": cause})
                return replace(item, standing=Standing.REMARK, remark=remark), False
            if row.adjusted and {first.how, second.how} == {How.DEFAULT, How.PRINTED}:
                remark = Message("precheck.setting.adjusted")
                return replace(item, standing=Standing.REMARK, remark=remark), False
            return item, True
        return both(row.name, first, second), False
    known, lacking = (first, golden) if first is not None else (second, target)
    if known is None:
        cells = [_open_cell(side, row.name) for side in (target, golden)]
        named = next((side.unknown[row.name] for side in (target, golden) if row.name in side.unknown), None)
        return (item_of(row.name, cells, Standing.UNKNOWN, _open(named)) if named else None), False
    if row.name not in lacking.unknown and known.how in (How.DEFAULT, How.DERIVED):
        return None, False
    other = _open_cell(lacking, row.name)
    hanging = next((name for name in row.follows if lacking.is_open(name)), "")
    said = Cell(known.spelled, known.place)
    cells = [said, other] if first is not None else [other, said]
    if row.name in lacking.unknown:
        return item_of(row.name, cells, Standing.UNKNOWN, _open(lacking.unknown[row.name])), False
    if hanging:
        remark = Message("precheck.setting.hangs", {"name": hanging})
        return item_of(row.name, cells, Standing.UNKNOWN, remark), False
    standing = Standing.TARGET_ONLY if first is not None else Standing.GOLDEN_ONLY
    item = replace(item_of(row.name, cells, standing), spelled=spelled_of(row.name, known))
    if _is_settled(row, target, golden):
        return _as_remark(item, row), False
    # What is printed may be a default that the other side has too; what is typed was meant.
    if known.how is How.PRINTED:
        standing = Standing.REMARK if known.value is False else standing
    elif known.dialect in lacking.frameworks or _is_told_there(row, lacking):
        return item, True
    return replace(item, standing=standing, remark=Message("precheck.setting.partial")), False


def _is_told_there(row: SettingRow, side: Configuration) -> bool:
    return any(dialect in row.aliases for dialect in side.frameworks & _ALL)


def _cause(row: SettingRow, target: Configuration, golden: Configuration) -> str:
    """Return the setting whose difference makes that of *row*; empty where *row* differs by itself."""
    first, second = target.get(row.name), golden.get(row.name)
    worked_out = first is not None and second is not None and {first.how, second.how} == {How.DERIVED}
    if not worked_out and not any(_differ(name, target, golden) is False for name in row.counted):
        return ""
    return next((name for name in row.follows if _differ(name, target, golden)), "")


def _differ(name: str, target: Configuration, golden: Configuration) -> bool | None:
    first, second = target.get(name), golden.get(name)
    if first is None or second is None:
        return None
    return not same_meaning(first.value, second.value)


def _contested(row: SettingRow, target: Configuration, golden: Configuration) -> tuple[Item, bool]:
    """Return the item of a setting that a side says twice; it counts where no value is the other's."""
    said = [_said(side, row.name) for side in (target, golden)]
    cells = [
        _cell_of(values) if values else _open_cell(side, row.name)
        for values, side in zip(said, (target, golden))
    ]
    item = item_of(
        row.name, cells, Standing.UNKNOWN, Message("precheck.setting.contested", {"name": row.name})
    )
    if _is_settled(row, target, golden):
        return _as_remark(item, row), False
    shared = any(same_meaning(first.value, second.value) for first in said[0] for second in said[1])
    if all(said) and not shared:
        return replace(item, standing=Standing.DIFFERS), True
    return item, False


def _said(side: Configuration, name: str) -> tuple[Known, ...]:
    known = side.get(name)
    return side.contested.get(name, ()) or ((known,) if known is not None else ())


def _cell_of(values: Sequence[Known]) -> Cell:
    spelled = dict.fromkeys(sorted(value.spelled for value in values))
    return Cell("; ".join(spelled), values[0].place)


def _is_settled(row: SettingRow, target: Configuration, golden: Configuration) -> bool:
    """Whether the setting that *row* is another word for is equal."""
    return _differ(row.instead, target, golden) is False


def _as_remark(item: Item, row: SettingRow) -> Item:
    return replace(
        item, standing=Standing.REMARK, remark=Message("precheck.setting.instead", {"name": row.instead})
    )


def _open_cell(side: Configuration, name: str) -> Cell:
    setting = side.unknown.get(name)
    return Cell(text_of(setting.value), setting.place) if setting is not None else Cell()


def _open(setting: Setting) -> Message:
    facts = {"name": setting.name, "text": text_of(setting.value)}
    if not any(sign in facts["text"] for sign in "$`"):
        return Message("precheck.setting.branch", facts)
    return Message("precheck.setting.open", facts)


def both(name: str, first: Known, second: Known) -> Item:
    """Return the item of a setting that both sides have."""
    standing = Standing.EQUAL if same_meaning(first.value, second.value) else Standing.DIFFERS
    if standing is Standing.EQUAL and _is_elsewhere(name, first, second):
        standing = Standing.REMARK
    cells = Cell(first.spelled, first.place), Cell(second.spelled, second.place)
    item = item_of(name, cells, standing, _remark(first, second))
    return replace(item, spelled=spelled_of(name, first, second))


def spelled_of(name: str, *said: Known) -> str:
    """Return how the files call the setting *name*; empty where they have its canonical name, or none.

    Where their word means another value, as ``no-rope-fusion`` does, the canonical name stands before it.
    """
    typed_by = [known.said_as.lstrip("-") for known in said if known.how is not How.DERIVED and known.said_as]
    words = {folded(word): word for word in typed_by}
    row = shipped_settings().rows.get(name)
    if not words or row is None or set(words) == {name}:
        return ""
    typed = " / ".join(words.values())
    plain = all(word == name or row.says_plainly(word) for word in words)
    return typed if plain else f"{name} ({typed})"


def _is_elsewhere(name: str, first: Known, second: Known) -> bool:
    """Whether one thing lies at two places."""
    row = shipped_settings().rows.get(name)
    return row is not None and row.kind is SettingKind.PLACES and first.spelled != second.spelled


def _remark(first: Known, second: Known) -> Message | None:
    one, other = first.remark, second.remark
    if _is_elsewhere(first.name, first, second) and same_meaning(first.value, second.value):
        return Message("precheck.setting.place")
    if one is None and other is None:
        facts = {"target": first.said_as, "golden": second.said_as}
        aliases = len({folded(name) for name in facts.values()}) == 2 and all(facts.values())
        return Message("precheck.setting.aliases", facts) if aliases else None
    formulas = [item.parameters.get("formula") for item in (one, other) if item is not None]
    if len(formulas) == 2 and all(formulas) and one != other:
        facts = {"target": str(formulas[0]), "golden": str(formulas[1])}
        return Message("precheck.setting.derived.both", facts)
    return one or other
