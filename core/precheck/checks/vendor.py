"""What each maker's own software is, and whether it fits together on each side; which accelerators ran."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.messages import Message
from core.precheck.checks.missing import without
from core.precheck.checks.packages import installed
from core.precheck.finding import Finding, not_done
from core.precheck.pair import Pair, Side
from core.precheck.software.machine import maker_of
from core.precheck.software.packages import VendorRole, package_table
from core.precheck.software.releases import Likeness, likeness, local_of, release_of, tells_release
from core.precheck.software.variables import Maker
from core.records.evidence import Device, Version
from core.records.precheck import Item, Outcome, Standing

_TOOLKIT = "toolkit"
_MEMORY = re.compile(r"(?<=\d)(?=[A-Za-z])")
"""Where one of the two tools leaves no blank before the unit."""


class _VendorSide(NamedTuple):
    maker: Maker | None
    versions: Mapping[str, Version]

    def of_role(self, role: VendorRole) -> tuple[str, Version | None]:
        """Return the name, and version if told, of what this side has in *role*."""
        own = {Maker.NPU: role.npu, Maker.GPU: role.gpu}
        names = [own[self.maker]] if self.maker else [role.npu, role.gpu]
        found = next((name for name in names if name in self.versions), "")
        return (found or next(filter(None, names), "")), self.versions.get(found)


def vendor(pair: Pair) -> Finding:
    """Check that each side's own software fits together, and list what stands for what.

    No table of what CANN and torch_npu fit each other is at hand; what is checked is that torch_npu is of the
    same release as torch, that the toolkit is told, and that machines of one kind have the same.
    """
    sides = _vendor_side(pair.target), _vendor_side(pair.golden)
    items, told = [], [False, False]
    for role in package_table().vendor:
        found = [side.of_role(role) for side in sides]
        for index, (_, version) in enumerate(found):
            told[index] |= version is not None
        if any(version for _, version in found):
            items.append(_role_item(role, sides, *found))
    misfits = [_misfit(sides[index], golden=bool(index)) for index in range(2)]
    items += [item for item in misfits if item is not None]
    failed = [item for item in items if item.standing is Standing.DIFFERS]
    if failed:
        return Finding(
            Outcome.FAIL, Message("precheck.versions.vendor.fail", {"first": _spelt(failed[0])}), items
        )
    if not all(told):
        return _with(without("vendor", target=told[0], golden=told[1]), items)
    lacking = [index for index, side in enumerate(sides) if not _has_toolkit(side)]
    if lacking:
        code = "golden" if lacking == [1] else "target" if lacking == [0] else "both"
        return _with(not_done(Message(f"precheck.without.toolkit.{code}")), items)
    return Finding(Outcome.PASS, Message("precheck.versions.vendor.pass", {"count": len(items)}), items)


def _with(finding: Finding, items: Sequence[Item]) -> Finding:
    return Finding(finding.result, finding.message, items)


def _vendor_side(side: Side) -> _VendorSide:
    """Return what *side* has; the CUDA of nvcc, then of torch, counts where nothing else tells one."""
    versions = {name: found for name, found in installed(side).items() if tells_release(found.version)}
    torch = versions.get("torch")
    if "nvcc" in versions:
        versions.setdefault("cuda", versions["nvcc"])
    built = local_of(torch.version) if torch is not None else ""
    if torch is not None and built.startswith("cu") and built[2:].isdigit() and "cuda" not in versions:
        versions["cuda"] = Version("cuda", f"{built[2:-1]}.{built[-1]}", torch.place)
    return _VendorSide(maker_of(side), versions)


def _has_toolkit(side: _VendorSide) -> bool:
    role = next(role for role in package_table().vendor if role.role == _TOOLKIT)
    return side.of_role(role)[1] is not None


def _role_item(
    role: VendorRole,
    sides: tuple[_VendorSide, _VendorSide],
    target: tuple[str, Version | None],
    golden: tuple[str, Version | None],
) -> Item:
    (name, version), (other_name, other) = target, golden
    one_kind = sides[0].maker is sides[1].maker is not None
    same_thing = name == other_name and (one_kind or role.npu != role.gpu)  # each kind has a "driver"
    standing, remark = Standing.REMARK, None
    if version is not None and other is not None and same_thing:
        if likeness(version.version, other.version) is Likeness.SAME:
            standing = Standing.EQUAL
        elif role.counts:
            standing = Standing.DIFFERS
    if standing is Standing.REMARK:
        remark = Message(f"precheck.versions.vendor.role.{role.role}")
    return Item(
        name if name == other_name or not other_name else f"{name} ↔ {other_name}" if name else other_name,
        version.version if version else "",
        other.version if other else "",
        standing,
        version.place if version else None,
        other.place if other else None,
        remark,
    )


def _misfit(side: _VendorSide, *, golden: bool) -> Item | None:
    """Return how torch_npu and torch of one side do not fit; ``None`` where they do or are not both told."""
    torch, plugin = side.versions.get("torch"), side.versions.get("torch-npu")
    if torch is None or plugin is None:
        return None
    releases = release_of(torch.version)[:3], release_of(plugin.version)[:3]
    length = min(map(len, releases))
    if not length or releases[0][:length] == releases[1][:length]:
        return None
    spelled = f"torch {torch.version}, torch_npu {plugin.version}"
    return Item(
        "torch_npu / torch",
        "" if golden else spelled,
        spelled if golden else "",
        Standing.DIFFERS,
        None if golden else plugin.place,
        plugin.place if golden else None,
        Message("precheck.versions.vendor.misfit"),
    )


def _spelt(item: Item) -> str:
    return f"{item.name}: {' / '.join(filter(None, (item.target, item.golden)))}"


def devices(pair: Pair) -> Finding:
    """Check that each side ran on accelerators of one kind, and list both; those of two sides may differ."""
    target, golden = _devices(pair.target), _devices(pair.golden)
    if not (target and golden):
        return without("devices", target=bool(target), golden=bool(golden))
    items = []
    for number, (side, is_golden) in enumerate(((target, False), (golden, True))):
        if _mixed(side):
            kinds = _told(side)
            code = "precheck.versions.devices.mixed"
            items.append(
                Item(
                    ("target", "golden")[number],
                    "" if is_golden else kinds,
                    kinds if is_golden else "",
                    Standing.DIFFERS,
                    None if is_golden else side[0].place,
                    side[0].place if is_golden else None,
                    Message(code),
                )
            )
    parameters = {"target": _told(target), "golden": _told(golden)}
    if items:
        return Finding(Outcome.FAIL, Message("precheck.versions.devices.fail", parameters), items)
    standing = Standing.EQUAL if parameters["target"] == parameters["golden"] else Standing.REMARK
    item = Item("accelerators", _told(target), _told(golden), standing, target[0].place, golden[0].place)
    return Finding(Outcome.PASS, Message("precheck.versions.devices.pass", parameters), (item,))


def _devices(side: Side) -> list[Device]:
    return [device for item in side.evidence for device in item.devices]


def _mixed(found: Sequence[Device]) -> bool:
    return len({(device.name.casefold(), device.memory) for device in found}) > 1


def _told(found: Sequence[Device]) -> str:
    """Return ``8 × Ascend 910B3 (65536 MB)`` for each kind."""
    counts = Counter((device.name, device.memory) for device in found)
    return ", ".join(
        f"{count} × {name}" + (f" ({_MEMORY.sub(' ', memory)})" if memory else "")
        for (name, memory), count in counts.items()
    )
