"""Learning rate, optimizer, batch, parallel sizes, and all settings that nobody knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.messages import Message
from core.precheck.checks.logged_batch import NAME, logged_batch
from core.precheck.checks.setting_findings import finding_of, settings_finding, unless_open, without_settings
from core.precheck.checks.setting_items import Cell, Comparison, both, compare, item_of, rows_of
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.settings.known import Known
from core.precheck.settings.places import named_by
from core.precheck.settings.values import (
    SettingKind,
    flag_of,
    folded,
    meaning_of,
    number_of,
    same_meaning,
    text_of,
)
from core.records.evidence import Dialect, EvidenceKind, Setting
from core.records.precheck import Item, Outcome, Standing

_NOISE = re.compile(
    r"(^|[._])(log|logs|logging|logger|tensorboard|wandb|swanlab|mlflow|report|print|path|paths|dir|dirs|directory"
    r"|folder|file|files|filename|cache|host|hostname|ip|addr|address|port|url|endpoint|node_rank|local_rank|run_name"
    r"|exp_name|experiment_name|project_name|task_name|group_name|team_name|entity_name|log_name|title|desc|timeout|profile|profiler|num_workers|workers|prefetch|pin_memory|verbose|debug|tag|hub"
    r"|user|job|device|devices|visible_devices|eval|evaluation|rdzv|master|date|save|saved|checkpoint|ckpt"
    r"|resume|overwrite|tqdm|progress|monitor|overlap|swap|prewarmup|transformers_version|do_train"
    r"|(distributed|dist|ddp|bootstrap|rendezvous)_backend"
    r"|(hf|api|auth|access)_token)([._]|$)|^(load|rank|output)$|_load$"
)
"""Parts of names that say where and how a run is kept, not what it computes."""
_FORMAT = re.compile(r"(?:dtype|compute_type|_(?:in|to)_(?:fp|bf)\d+|_in_float\d+|_fp32)$")
"""Ends of names that choose in which format a part computes."""


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
        cut = {"global": first.spelled, "name": made.failing[0].called}
        cut |= {"target": made.failing[0].target or "—", "golden": made.failing[0].golden or "—"}
        return Finding(Outcome.FAIL, Message("precheck.hyper_parameters.batch.cut", cut), items)
    passed = Finding(Outcome.PASS, Message("precheck.hyper_parameters.batch.pass", facts), items)
    return unless_open(passed, made)


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
    """Compare settings that no table knows, by their own names; those of number formats apart."""
    made = unknown_settings(pair, of_formats=False)
    there = made.failing or made.agreeing or made.open
    return finding_of(pair, made) if there else without_settings(pair, made.items)


def unknown_settings(pair: Pair, *, of_formats: bool) -> Comparison:
    """Compare settings that no table knows; places, names of runs and logging do not count.

    What only one side types counts where the other one tells all settings of that framework.

    Parameters
    ----------
    of_formats
        Only those whose name says that they choose a number format, or only the others.
    """
    sides = [
        {
            name: item
            for item in side.configuration.others
            if bool(_FORMAT.search(name := folded(item.name.lstrip("-")))) is of_formats
        }
        for side in (pair.target, pair.golden)
    ]
    printed = _printed(pair.target) | _printed(pair.golden)
    items = tuple(_others(sides[0], sides[1], printed))
    told = (pair.target.configuration.frameworks, pair.golden.configuration.frameworks)
    failing = tuple(item for item in items if _counts(item, sides, told))
    equal = sum(item.standing is Standing.EQUAL for item in items)
    unknown = tuple(item for item in items if item.standing is Standing.UNKNOWN)
    return Comparison(items, failing, unknown, agreeing=equal)


def _printed(side: Side) -> set[str]:
    """Return the files that hold what a training printed: its defaults too."""
    return {item.path for item in side.of_kind(EvidenceKind.ARGUMENTS)}


def _counts(item: Item, sides: Sequence[dict[str, Setting]], told: Sequence[frozenset[Dialect]]) -> bool:
    """Whether *item* counts against the pair; what is printed on one side may be a default of both."""
    if item.standing is Standing.DIFFERS:
        return True
    if item.standing not in (Standing.TARGET_ONLY, Standing.GOLDEN_ONLY) or item.remark is not None:
        return False
    own = item.standing is Standing.GOLDEN_ONLY
    return sides[own][folded(item.name.lstrip("-"))].dialect in told[not own]


def _others(target: dict[str, Setting], golden: dict[str, Setting], printed: set[str]) -> Iterator[Item]:
    """Yield an item a name; *printed* are the files that hold printed arguments."""
    for name in dict.fromkeys((*target, *golden)):
        first, second = target.get(name), golden.get(name)
        cells = [_cell(first), _cell(second)]
        named = (first.name if first is not None else "") or (second.name if second is not None else "")
        if first is None or second is None:
            standing = Standing.GOLDEN_ONLY if first is None else Standing.TARGET_ONLY
            yield _alone(item_of(named, cells, standing), first or second, printed)
        elif first.known and second.known and _same(first, second):
            yield item_of(named, cells, Standing.EQUAL)
        elif _NOISE.search(name):
            yield item_of(named, cells, Standing.REMARK, Message("precheck.setting.noise"))
        elif not (first.known and second.known):
            yield item_of(named, cells, Standing.UNKNOWN)
        elif _is_one_place(first, second):
            yield item_of(named, cells, Standing.REMARK, Message("precheck.setting.noise"))
        elif folded(cells[0].text) == folded(cells[1].text):
            yield item_of(named, cells, Standing.REMARK, Message("precheck.setting.case"))
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


def _alone(item: Item, setting: Setting | None, printed: set[str]) -> Item:
    """Return the item of what one side says: a remark where it does not count, and why it may not."""
    if setting is None or _NOISE.search(folded(setting.name)) or setting.dialect is Dialect.LAUNCHER:
        return replace(item, standing=Standing.REMARK, remark=Message("precheck.setting.noise"))
    if not setting.known:
        facts = {"name": setting.name, "text": text_of(setting.value)}
        return replace(item, standing=Standing.UNKNOWN, remark=Message("precheck.setting.open", facts))
    if setting.place.path not in printed:
        return item
    standing = Standing.REMARK if setting.value in (False, None, "", "None", "False") else item.standing
    return replace(item, standing=standing, remark=Message("precheck.setting.partial"))


def _is_one_place(first: Setting, second: Setting) -> bool:
    """Whether both are paths that name one thing."""
    if not all("/" in text_of(item.value) for item in (first, second)):
        return False
    return named_by(first.value) == named_by(second.value)
