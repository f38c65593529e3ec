"""Learning rate, optimizer, batch, parallel sizes, and all settings that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.messages import Message
from core.precheck.checks.logged_batch import NAME, logged_batch
from core.precheck.checks.setting_items import (
    Cell,
    Comparison,
    both,
    compare,
    finding_of,
    item_of,
    rows_of,
    settings_finding,
    without_settings,
)
from core.precheck.finding import Finding
from core.precheck.pair import Pair
from core.precheck.settings.known import Known
from core.precheck.settings.values import (
    SettingKind,
    flag_of,
    folded,
    meaning_of,
    number_of,
    same_meaning,
    text_of,
)
from core.records.evidence import Setting
from core.records.precheck import Item, Outcome, Standing

_NOISE = re.compile(
    r"(^|[._])(log|logs|logging|logger|tensorboard|wandb|swanlab|mlflow|report|print|path|paths|dir|dirs|directory"
    r"|folder|file|files|filename|cache|host|hostname|ip|addr|address|port|url|endpoint|node_rank|local_rank|name"
    r"|names|title|desc|timeout|profile|profiler|num_workers|workers|prefetch|pin_memory|verbose|debug|tag|hub"
    r"|user|job|device|devices|visible_devices|eval|evaluation|rdzv|master|date|save|saved|checkpoint|ckpt"
    r"|resume|overwrite|tqdm|progress|monitor|do_train|(distributed|dist|ddp|bootstrap|rendezvous)_backend"
    r"|(hf|api|auth|access)_token)([._]|$)|^(load|rank|output)$|_load$"
)
"""Parts of names that say where and how a run is kept, not what it computes."""


def learning_rate(pair: Pair) -> Finding:
    """Compare the learning rate and how it runs."""
    return settings_finding(pair, "hyper_parameters.learning_rate", ("learning_rate",))


def optimizer(pair: Pair) -> Finding:
    """Compare the optimizer with its coefficients and the clipping."""
    return settings_finding(pair, "hyper_parameters.optimizer")


def batch(pair: Pair) -> Finding:
    """Compare the samples of an update: said, worked out, or told by the logs.

    Numbers of one side that do not go together count too.
    """
    rows = rows_of("hyper_parameters.batch")
    made = compare(pair, rows)
    logged = [logged_batch(side) for side in (pair.target, pair.golden)]
    said = [
        side.configuration.get("global_batch") or known
        for side, known in zip((pair.target, pair.golden), logged)
    ]
    items = list(made.items)
    if logged[0] is not None and logged[1] is not None:
        items.append(both(NAME, logged[0], logged[1]))
    wrong = _contradiction(pair, {"data_parallel", *(row.name for row in rows)}, logged)
    if wrong is not None:
        return Finding(Outcome.FAIL, wrong, items)
    first, second = said
    if first is None or second is None or any(item.name == "batch_ramp" for item in made.failing):
        return replace(finding_of(pair, made, ("global_batch",)), items=items)
    facts = {"target": first.spelled, "golden": second.spelled}
    if not same_meaning(first.value, second.value):
        if "global_batch" not in made.compared:
            items.append(both("global_batch", first, second))
        return Finding(Outcome.FAIL, Message("precheck.hyper_parameters.batch.fail", facts), items)
    if made.failing:
        return replace(finding_of(pair, made), items=items)
    return Finding(Outcome.PASS, Message("precheck.hyper_parameters.batch.pass", facts), items)


def _contradiction(pair: Pair, names: set[str], logged: Sequence[Known | None]) -> Message | None:
    """Return what does not go together on one side."""
    for side, name, known in zip((pair.target, pair.golden), ("target", "golden"), logged):
        settings = side.configuration
        for item in settings.contradictions:
            if item.name in names:
                told = item.message.parameters
                return Message(f"precheck.hyper_parameters.batch.contradiction.{name}", told)
        # while the batch grows, the log tells how far it is
        total = settings.get("global_batch") if settings.get("batch_ramp") is None else None
        if known is not None and total is not None and not same_meaning(known.value, total.value):
            facts = {"logged": known.spelled, "said": total.spelled}
            return Message(f"precheck.hyper_parameters.batch.logged.{name}", facts)
    return None


def parallel(pair: Pair) -> Finding:
    """Compare how the training is cut over devices."""
    return settings_finding(pair, "hyper_parameters.parallel", ("world_size",))


def others(pair: Pair) -> Finding:
    """Compare settings that no table knows, by their own names; places, names and logging do not count."""
    sides = [
        {folded(item.name.lstrip("-")): item for item in side.configuration.others}
        for side in (pair.target, pair.golden)
    ]
    items = tuple(_others(*sides))
    failing = tuple(item for item in items if item.standing is Standing.DIFFERS)
    equal = sum(item.standing is Standing.EQUAL for item in items)
    made = Comparison(items, failing, agreeing=equal)
    return finding_of(pair, made) if failing or equal else without_settings(pair, items)


def _others(target: dict[str, Setting], golden: dict[str, Setting]) -> Iterator[Item]:
    for name in dict.fromkeys((*target, *golden)):
        first, second = target.get(name), golden.get(name)
        cells = [_cell(first), _cell(second)]
        named = (first.name if first is not None else "") or (second.name if second is not None else "")
        if first is None or second is None:
            standing = Standing.GOLDEN_ONLY if first is None else Standing.TARGET_ONLY
            yield item_of(named, cells, standing)
        elif not (first.known and second.known):
            same = cells[0].text == cells[1].text
            yield item_of(named, cells, Standing.EQUAL if same else Standing.UNKNOWN)
        elif _same(first, second):
            yield item_of(named, cells, Standing.EQUAL)
        elif _NOISE.search(name) or any(_is_path(cell.text) for cell in cells):
            yield item_of(named, cells, Standing.REMARK, Message("precheck.setting.noise"))
        else:
            yield item_of(named, cells, Standing.DIFFERS)


def _cell(setting: Setting | None) -> Cell:
    return Cell(text_of(setting.value), setting.place) if setting is not None else Cell()


def _same(first: Setting, second: Setting) -> bool:
    """Whether two values of a name mean the same, whatever kind they are of."""
    numbers = [number_of(item.value) for item in (first, second)]
    if None not in numbers:
        return numbers[0] == numbers[1]
    flags = [flag_of(item.value) for item in (first, second)]
    if None not in flags and any(isinstance(item.value, bool) for item in (first, second)):
        return flags[0] == flags[1]
    return same_meaning(*(meaning_of(item.value, SettingKind.TEXT)[0] for item in (first, second)))


def _is_path(text: str) -> bool:
    return "/" in text or text.startswith("~")
