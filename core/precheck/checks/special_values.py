"""What becomes of an overflow, and of float32, on each side: modes of chips and switches of software."""

from __future__ import annotations

import re
from typing import NamedTuple

from core.messages import Message
from core.precheck.checks.environment import EnvironmentSide, environment_of
from core.precheck.checks.missing import without
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.software.variables import Maker, acts_as, is_open
from core.records.evidence import Place
from core.records.precheck import Item, Outcome, Standing

_SATURATING = re.compile(
    r"(?:ascend)?\s*(?:910(?:a|b|pro\w*|premium\w*)?|310(?:p\d*|b\d*)?)(?:[\s-].*)?", re.IGNORECASE
)
"""Chips that can only saturate: 910A and its names (a bare 910B is one), 310P, 310B."""
_IEEE = re.compile(r"(?:ascend)?\s*950.*", re.IGNORECASE)
"""Chips that can only keep Inf and NaN."""
_INF_NAN, _SATURATION = "INF_NAN", "saturation"
_PLAIN = "float32"
_REDUCED = {Maker.NPU: "HF32", Maker.GPU: "TF32", None: "TF32/HF32"}


class _Mode(NamedTuple):
    """How one side computes something."""

    value: str
    """What counts; empty where it is not known."""
    why: str = ""
    """The switch or the chip that says it; empty for a default."""
    place: Place | None = None

    @property
    def text(self) -> str:
        """As people read it."""
        return f"{self.value} ({self.why})" if self.why and self.value else self.value


def special_values(pair: Pair) -> Finding:
    """Check that overflows and float32 products and convolutions are computed alike on both sides.

    Ascend 910A, 310P and 310B saturate; A2 and A3 keep Inf and NaN unless ``INF_NAN_MODE_ENABLE`` is 0 or
    ``INF_NAN_MODE_FORCE_DISABLE`` is 1; 950 and GPUs always keep them. Where nothing is set, float32 products
    are whole and convolutions reduced, by the defaults of torch (TF32) and of torch_npu (HF32) alike.
    Sources: Ascend Extension for PyTorch, environment variables; ``aclrtFloatOverflowMode``; PyTorch, notes
    on CUDA.
    """
    sides = pair.target, pair.golden
    told = [(side, environment_of(side)) for side in sides]
    items = []
    for name, modes in (
        ("overflow_mode", [_overflow(*one) for one in told]),
        ("float32_products", [_products(*one) for one in told]),
        ("float32_convolutions", [_convolutions(*one) for one in told]),
    ):
        if modes[0].value or modes[1].value:
            items.append(_item(name, *modes))
    failed = [item for item in items if item.standing is Standing.DIFFERS]
    if failed:
        first = failed[0]
        facts = {"name": first.name, "target": first.target, "golden": first.golden}
        return Finding(Outcome.FAIL, Message("precheck.mixed_precision.special_values.fail", facts), items)
    lacking = [any(not modes.value for modes in (_overflow(*one), _products(*one))) for one in told]
    if any(lacking):
        missing = without("special_values", target=not lacking[0], golden=not lacking[1])
        return Finding(Outcome.NOT_DONE, missing.message, items)
    mode = items[0].target
    return Finding(
        Outcome.PASS, Message("precheck.mixed_precision.special_values.pass", {"mode": mode}), items
    )


def _item(name: str, target: _Mode, golden: _Mode) -> Item:
    remark = None
    if not (target.value and golden.value):
        standing = Standing.UNKNOWN
    elif target.value == golden.value:
        standing = Standing.EQUAL
        if not (target.why and golden.why):
            remark = Message("precheck.mixed_precision.special_values.default")
    elif _PLAIN not in (target.value, golden.value) and name != "overflow_mode":
        standing, remark = Standing.REMARK, Message("precheck.mixed_precision.special_values.both_reduced")
    else:
        standing = Standing.DIFFERS
    return Item(name, target.text, golden.text, standing, target.place, golden.place, remark)


def _overflow(side: Side, environment: EnvironmentSide) -> _Mode:
    """Return whether overflows of *side* become Inf or the largest number."""
    if environment.maker is Maker.GPU:
        return _Mode(_INF_NAN, "GPU")
    device = next((device for item in side.evidence for device in item.devices), None)
    if device is not None and _SATURATING.fullmatch(device.name.strip()):
        return _Mode(_SATURATION, device.name, device.place)
    if device is not None and _IEEE.fullmatch(device.name.strip()):
        return _Mode(_INF_NAN, device.name, device.place)
    for name, saturates in (("INF_NAN_MODE_FORCE_DISABLE", "1"), ("INF_NAN_MODE_ENABLE", "0")):
        found = environment.variables.get(name)
        if found is not None and is_open(found.value):
            return _Mode("")
        if found is not None and acts_as(found.value) == saturates:
            return _Mode(_SATURATION, f"{name}={found.value}", found.place)
    found = environment.variables.get("INF_NAN_MODE_ENABLE")
    if found is not None:
        return _Mode(_INF_NAN, f"{found.name}={found.value}", found.place)
    return _default(environment, _INF_NAN)


def _products(side: Side, environment: EnvironmentSide) -> _Mode:
    """Return in which bits float32 matrix products of *side* are computed."""
    reduced = _REDUCED[environment.maker]
    said = _overridden(environment, 1) or _allowed(environment, reduced)
    return said or _said(side, "reduced_products", reduced) or _default(environment, _PLAIN)


def _allowed(environment: EnvironmentSide, reduced: str) -> _Mode | None:
    """Return what the variable says that allows TF32 products, which torch does not do by itself."""
    found = environment.variables.get("TORCH_ALLOW_TF32_CUBLAS_OVERRIDE")
    if found is None or environment.maker is Maker.NPU:
        return None
    if is_open(found.value):
        return _Mode("")
    allowed = acts_as(found.value) == "1"
    return _Mode(reduced, f"{found.name}={found.value}", found.place) if allowed else None


def _convolutions(side: Side, environment: EnvironmentSide) -> _Mode:
    """Return in which bits float32 convolutions of *side* are computed."""
    reduced = _REDUCED[environment.maker]
    said = _overridden(environment, 0) or _said(side, "reduced_convolutions", reduced)
    return said or _default(environment, reduced)


def _overridden(environment: EnvironmentSide, digit: int) -> _Mode | None:
    """Return what a variable says over the program's head; *digit* is the place in ``ACL_ALLOW_HF32``."""
    for name in ("NVIDIA_TF32_OVERRIDE", "ALLOW_HF32", "ACL_ALLOW_HF32"):
        found = environment.variables.get(name)
        if found is not None and environment.maker is not (Maker.NPU if "TF32" in name else Maker.GPU):
            if is_open(found.value):
                return _Mode("")
            # torch_npu writes two digits: convolutions, then products.
            value = found.value[digit] if re.fullmatch("[01]{2}", found.value) else found.value
            reduced = acts_as(value) == "1"
            kind = _REDUCED[environment.maker] if reduced else _PLAIN
            return _Mode(kind, f"{name}={found.value}", found.place)
    return None


def _said(side: Side, name: str, reduced: str) -> _Mode | None:
    if side.configuration.is_open(name):
        return _Mode("")
    known = side.configuration.get(name)
    if known is None or not isinstance(known.value, bool):
        return None
    return _Mode(reduced if known.value else _PLAIN, f"{known.said_as or name}={known.spelled}", known.place)


def _default(environment: EnvironmentSide, value: str) -> _Mode:
    """Return *value* where it is known that nothing else is set, and on which kind of machine."""
    return _Mode(value if environment.whole and environment.maker is not None else "")
