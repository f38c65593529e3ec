"""Mixed precision: exactly one kind of it, the same on both sides, with the same loss scale."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.messages import Message
from core.precheck.checks.hyper_parameters import unknown_settings
from core.precheck.checks.setting_findings import finding_of, unless_open, without_settings
from core.precheck.checks.setting_items import compare, rows_of
from core.precheck.configuration import Configuration
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.settings.values import folded
from core.records.precheck import Item, Outcome, Standing

_AUTOMATIC_LEVELS = ("o1", "o2", "o3")
"""Levels at which apex or MindSpore casts by itself; O0 does not."""
_HALF = ("fp16", "bf16")
_OLD_DEVICES = ("910a", "910prob", "910proa", "310")
"""Devices older than the A2 series."""


def one_kind(pair: Pair) -> Finding:
    """Find sides with two kinds of mixed precision at once: by hand and automatic, or fp16 and bf16."""
    made = compare(pair, rows_of("mixed_precision.one_kind"))
    sides = (pair.target.configuration, pair.golden.configuration)
    for name, settings in zip(("target", "golden"), sides):
        kinds = _kinds(settings)
        wrong = _wrong(kinds, settings)
        if wrong:
            facts = {"first": wrong[0], "second": wrong[1]}
            return Finding(
                Outcome.FAIL, Message(f"precheck.mixed_precision.one_kind.twice.{name}", facts), made.items
            )
    if not all(_tells(settings) for settings in sides):
        return without_settings(pair, made.items)
    items = tuple(map(_unjudged, made.items)) or _precisions(pair)  # no switch may be on at all
    passed = Finding(Outcome.PASS, Message("precheck.mixed_precision.one_kind.pass"), items)
    return unless_open(passed, made)


def _precisions(pair: Pair) -> tuple[Item, ...]:
    """Return the precision that follows from the switches of both sides, to be judged elsewhere."""
    rows = [row for row in rows_of("mixed_precision.same_kind") if row.name == "precision"]
    return tuple(map(_unjudged, compare(pair, rows).items))


def _kinds(settings: Configuration) -> dict[str, str]:
    """Return the kinds of mixed precision that are on, with the name of the switch."""
    found = {}
    for name in (*_HALF, "automatic_precision"):
        known = settings.get(name)
        if known is not None and known.value is True:
            found[name] = known.said_as or name
    level = settings.get("automatic_level")
    if level is not None and level.value in _AUTOMATIC_LEVELS:
        found["automatic_precision"] = f"{level.said_as} {str(level.value).upper()}"
    return found


def _wrong(kinds: dict[str, str], settings: Configuration) -> tuple[str, ...]:
    """Return two switches that must not be on together."""
    halves = [name for name in _HALF if name in kinds]
    if len(halves) == 2:
        return tuple(kinds[name] for name in halves)
    automatic = kinds.get("automatic_precision")
    return (kinds[halves[0]], automatic) if halves and automatic else ()


def _tells(settings: Configuration) -> bool:
    return any(
        settings.get(name) is not None
        for name in ("precision", *_HALF, "automatic_precision", "automatic_level")
    )


def _unjudged(item: Item) -> Item:
    """Return *item* as a remark where it differs: whether the kinds are the same is another check."""
    if item.standing in (Standing.EQUAL, Standing.UNKNOWN):
        return item
    return replace(item, standing=Standing.REMARK)


def same_kind(pair: Pair) -> Finding:
    """Compare in which precision both sides compute, reduce and accumulate."""
    known = compare(pair, rows_of("mixed_precision.same_kind"))
    made = known + unknown_settings(pair, of_formats=True)
    return finding_of(pair, made, ("precision",))


def npu_mode(pair: Pair) -> Finding:
    """Find whether an NPU's compiler may lower the precision of operators behind the model's back.

    The guide wants ``precision_mode_v2=origin`` (or ``must_keep_origin_dtype``) on A2 and later, and
    ``allow_fp32_to_fp16`` on the training series before them, where float32 runs as float16 anyway.
    """
    made = compare(pair, rows_of("mixed_precision.npu_mode"))
    sides = (("target", pair.target), ("golden", pair.golden))
    said = [(name, mode) for name, side in sides for mode in _modes(side)]
    if not said:
        return Finding(Outcome.NOT_DONE, Message("precheck.mixed_precision.npu_mode.unsaid"), made.items)
    for name, (mode, keeps) in said:
        if keeps is False:
            message = Message(f"precheck.mixed_precision.npu_mode.lowers.{name}", {"mode": mode})
            return Finding(Outcome.FAIL, message, made.items)
    mode, keeps = said[0][1]
    result, word = (Outcome.NOT_DONE, "device") if keeps is None else (Outcome.PASS, "pass")
    message = Message(f"precheck.mixed_precision.npu_mode.{word}", {"mode": mode})
    return unless_open(Finding(result, message, made.items), made)


def _modes(side: Side) -> Iterator[tuple[str, bool | None]]:
    """Yield each mode that a side sets, and whether it is right; ``None``: that hangs on the device."""
    settings = side.configuration
    devices = [folded(device.name).replace(" ", "") for item in side.evidence for device in item.devices]
    old = any(mark in device for device in devices for mark in _OLD_DEVICES)
    second = settings.value("npu_precision_mode_v2")
    if isinstance(second, str):
        yield f"precision_mode_v2={second}", second == "origin"
    first = settings.value("npu_precision_mode")
    if settings.value("allow_fp32_to_fp16") is True:
        first = "allow_fp32_to_fp16"
    if isinstance(first, str):
        if first == "allow_fp32_to_fp16":
            yield f"precision_mode={first}", old if devices else None
        else:
            yield f"precision_mode={first}", first in ("must_keep_origin_dtype", "origin")


def loss_scale(pair: Pair) -> Finding:
    """Compare the loss scale: only float16 needs one, and a static one fits the machine it was tuned on."""
    sides = (pair.target.configuration, pair.golden.configuration)
    precisions = [settings.get("precision") for settings in sides]
    made = compare(pair, rows_of("mixed_precision.loss_scale"))
    if all(known is not None and known.value in ("bf16", "fp32") for known in precisions):
        return Finding(Outcome.PASS, Message("precheck.mixed_precision.loss_scale.none"), _precisions(pair))
    finding = finding_of(pair, made, ("loss_scale",))
    scales = [settings.value("loss_scale") for settings in sides]
    if finding.result is Outcome.PASS and all(isinstance(scale, int | float) and scale for scale in scales):
        remark = Message("precheck.mixed_precision.loss_scale.static", {"scale": str(scales[0])})
        return Finding(finding.result, finding.message, finding.items, (remark,))
    return finding
