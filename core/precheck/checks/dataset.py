"""Whether both sides have the same files of data, in one order, with the same contents, prepared alike."""

from __future__ import annotations

from dataclasses import replace

from core.messages import Message, Parameter
from core.precheck.checks.missing import without
from core.precheck.checks.phrases import first_ones
from core.precheck.checks.setting_findings import finding_of
from core.precheck.checks.setting_items import Comparison, compare, rows_of
from core.precheck.dataset.comparison import ListComparison, compare_lists
from core.precheck.dataset.file_items import changed_items, missing_items, order_items
from core.precheck.dataset.side_lists import files_in_folders, joined, lists_by_algorithm, lists_of
from core.precheck.finding import Finding
from core.precheck.pair import Pair
from core.precheck.settings.table import shipped_settings
from core.progress import Work
from core.records.evidence import FileList
from core.records.precheck import Item, Outcome, Standing

_ALSO = ("sequence_length", "tokenizer", "drop_last", "data_seed", "shuffle", "shuffle_buffer")
"""Settings that other rows compare too, and that decide what a batch holds."""
_WORKERS = ("loading_workers", "preprocessing_workers")
"""Settings that change the order only where a loader does not put it right again."""


def files(pair: Pair) -> Work[Finding]:
    """Check that both sides name the same files, of the same sizes where these are told.

    A folder of data is looked into, without reading its files. Folders that stand in different places are
    laid on each other (:mod:`core.precheck.dataset.name_folding`).
    """
    listed = _lists_of_one_kind(pair)
    target = (yield from files_in_folders(pair.target)) or listed[0]
    golden = (yield from files_in_folders(pair.golden)) or listed[1]
    if target is None or golden is None:
        return without("files", target=target is not None, golden=golden is not None)
    found = compare_lists(target, golden)
    items = missing_items(found, target, golden)
    used = _places(target, golden)
    if found.same_files:
        message = Message("precheck.dataset.files.pass", {"count": len(found.common)})
        return Finding(Outcome.PASS, message, items, _remarks(found), *used)
    facts: dict[str, Parameter] = {
        "missing": len(found.missing),
        "extra": len(found.extra),
        "resized": len(found.resized),
        "repeated": len(found.read_otherwise),
        "names": first_ones([item.name for item in items if item.standing is not Standing.EQUAL]),
    }
    return Finding(Outcome.FAIL, Message("precheck.dataset.files.fail", facts), items, _remarks(found), *used)


def _lists_of_one_kind(pair: Pair) -> tuple[FileList | None, FileList | None]:
    """Return the plain lists of both sides, or the lists with checksums of both, or what there is.

    A side may bring both of the same files, spelt differently: as one list they would count twice.
    """
    lists = [lists_of(side) for side in (pair.target, pair.golden)]
    for with_checksums in (False, True):
        target, golden = (
            joined([found for found in side if bool(found.algorithm) is with_checksums]) for side in lists
        )
        if target is not None and golden is not None:
            return target, golden
    return joined(lists[0]), joined(lists[1])


def order(pair: Pair) -> Finding:
    """Check that the files that both sides have are read in one order; told by lists that have an order."""
    target, golden = (
        joined([found for found in lists_of(side) if found.ordered]) for side in (pair.target, pair.golden)
    )
    if target is None or golden is None:
        return without("order", target=target is not None, golden=golden is not None)
    found = compare_lists(target, golden)
    used = _places(target, golden)
    if len(found.common) < 2:
        return Finding(Outcome.NOT_DONE, Message("precheck.dataset.order.too_few"), (), (), *used)
    remarks = (Message(f"precheck.dataset.order.sorted.{found.target_order}.{found.golden_order}"),)
    items = order_items(found, target, golden)
    if not found.partings:
        message = Message("precheck.dataset.order.pass", {"count": len(found.common)})
        return Finding(Outcome.PASS, message, items, remarks, *used)
    facts: dict[str, Parameter] = {
        "position": found.partings[0].position,
        "target": found.partings[0].target or "—",
        "golden": found.partings[0].golden or "—",
        "moved": found.moved,
        "common": len(found.common),
    }
    return Finding(Outcome.FAIL, Message("precheck.dataset.order.fail", facts), items, remarks, *used)


def checksums(pair: Pair) -> Finding:
    """Check that every file has the same checksum on both sides; those of two algorithms do not compare."""
    lists = [lists_by_algorithm(side) for side in (pair.target, pair.golden)]
    if not all(lists):
        return without("checksums", target=bool(lists[0]), golden=bool(lists[1]))
    shared = [name for name in lists[0] if name in lists[1]]
    if not shared:
        names = {"target": ", ".join(lists[0]), "golden": ", ".join(lists[1])}
        return Finding(Outcome.NOT_DONE, Message("precheck.dataset.checksums.algorithms", names))
    target, golden = lists[0][shared[0]], lists[1][shared[0]]
    found = compare_lists(target, golden)
    items, used = changed_items(found, target, golden), _places(target, golden)
    facts: dict[str, Parameter] = {
        "changed": len(found.changed),
        "missing": len(found.missing),
        "extra": len(found.extra),
        "names": first_ones([item.name for item in items if item.standing is not Standing.EQUAL]),
    }
    if found.changed or found.missing or found.extra:
        return Finding(Outcome.FAIL, Message("precheck.dataset.checksums.fail", facts), items, (), *used)
    if found.unchecked or not found.checked:
        message = Message("precheck.dataset.checksums.unchecked", {"count": len(found.unchecked)})
        return Finding(Outcome.NOT_DONE, message, items, (), *used)
    facts = {"count": found.checked, "algorithm": shared[0]}
    return Finding(Outcome.PASS, Message("precheck.dataset.checksums.pass", facts), items, (), *used)


def preprocessing(pair: Pair) -> Finding:
    """Check the settings that decide what a batch holds: padding, packing, masks, splits, mixing, order."""
    rows = rows_of("dataset.preprocessing") + [shipped_settings().rows[name] for name in _ALSO]
    return finding_of(pair, _without_workers(compare(pair, rows)))


def _without_workers(made: Comparison) -> Comparison:
    """Let another number of workers be a remark."""

    def softened(item: Item) -> Item:
        if item.name not in _WORKERS or item.standing is Standing.EQUAL:
            return item
        remark = Message("precheck.dataset.preprocessing.workers")
        return replace(item, standing=Standing.REMARK, remark=remark)

    failing = tuple(item for item in made.failing if item.name not in _WORKERS)
    unknown = tuple(item for item in made.open if item.name not in _WORKERS)
    return replace(made, items=tuple(map(softened, made.items)), failing=failing, open=unknown)


def _places(target: FileList, golden: FileList) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (target.place.path,), (golden.place.path,)


def _remarks(found: ListComparison) -> tuple[Message, ...]:
    """Return which folders were taken for each other, and what both lists name more than once."""
    remarks = [
        Message(
            "precheck.dataset.folders",
            {"target": folders.target or "./", "golden": folders.golden or "./"},
        )
        for folders in found.folders
        if folders.target != folders.golden
    ]
    if found.target_repeated and found.golden_repeated:
        names = first_ones(found.target_repeated)
        facts: dict[str, Parameter] = {"count": len(found.target_repeated), "names": names}
        remarks.append(Message("precheck.dataset.repeated", facts))
    return tuple(remarks)
