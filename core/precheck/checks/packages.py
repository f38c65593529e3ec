"""Whether both sides have the same software installed."""

from __future__ import annotations

from collections.abc import Mapping

from core.messages import Message
from core.precheck.checks.missing import without
from core.precheck.checks.phrases import first_ones
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.software.machine import maker_of
from core.precheck.software.packages import GIT, PackageClass, package_table
from core.precheck.software.releases import Likeness, likeness, tells_release
from core.precheck.software.variables import Maker
from core.records.evidence import Version
from core.records.precheck import Item, Outcome, Standing

_ORDER = (PackageClass.NUMERIC, PackageClass.DEVICE, PackageClass.OTHER, PackageClass.TOOLS)


def packages(pair: Pair) -> Finding:
    """Check that software that computes is installed on both sides in the same version.

    ``resources/tables/packages.toml`` says which that is. Another build of one release (``+cu121``,
    ``+cpu``), tools, and packages that the table does not know are shown and do not count; nor does what the
    machine of the other side cannot have. A list that names a package without its version leaves it open.
    """
    target, golden = installed(pair.target), installed(pair.golden)
    known = [_computes(side) for side in (target, golden)]
    if not all(known):
        return without("packages", target=known[0], golden=known[1])
    names = sorted({*target, *golden}, key=lambda name: (_ORDER.index(package_table().class_of(name)), name))
    makers = maker_of(pair.target), maker_of(pair.golden)
    items = [_item(name, target.get(name), golden.get(name), makers) for name in names]
    open_, passing = Standing.UNKNOWN, (Standing.EQUAL, Standing.REMARK)
    counting = [item for item in items if item.standing not in (*passing, open_)]
    unknown = [item.name for item in items if item.standing is open_]
    both = sum(name in target and name in golden for name in names)
    if counting:
        told = first_ones([_told(item) for item in counting])
        message = Message("precheck.versions.packages.fail", {"count": len(counting), "packages": told})
        return Finding(Outcome.FAIL, message, items)
    classes = {package_table().class_of(name) for name in names if name in target and name in golden}
    if PackageClass.NUMERIC not in classes:
        return without("common_packages", target=False, golden=False)
    if unknown:
        message = Message("precheck.versions.packages.unknown", {"packages": first_ones(unknown)})
        return Finding(Outcome.NOT_DONE, message, items)
    return Finding(Outcome.PASS, Message("precheck.versions.packages.pass", {"count": both}), items)


def installed(side: Side) -> dict[str, Version]:
    """Return what *side* has, by known name; of what is told twice the last that tells a version holds."""
    table = package_table()
    found: dict[str, Version] = {}
    for item in side.versions():
        name = table.known_name(item.name)
        if tells_release(item.version) or name not in found:
            found[name] = item
    return found


def _computes(versions: Mapping[str, Version]) -> bool:
    """Whether any of *versions* is of software that this row compares; drivers alone are not."""
    classes = {package_table().class_of(name) for name in versions}
    return not classes.isdisjoint((PackageClass.NUMERIC, PackageClass.OTHER))


def _told(item: Item) -> str:
    return f"{item.name} {item.target or '—'} / {item.golden or '—'}"


def _item(
    known: str, target: Version | None, golden: Version | None, makers: tuple[Maker | None, Maker | None]
) -> Item:
    there = target or golden
    if target is None or golden is None:
        standing, remark = _one_sided(known, on_target=target is not None, other=makers[target is not None])
    else:
        one_kind = None in makers or makers[0] is makers[1]
        standing, remark = _standing(known, likeness(target.version, golden.version), one_kind=one_kind)
    return Item(
        there.name if there else known,
        target.version if target else "",
        golden.version if golden else "",
        standing,
        target.place if target else None,
        golden.place if golden else None,
        remark,
    )


def _one_sided(known: str, *, on_target: bool, other: Maker | None) -> tuple[Standing, Message | None]:
    """Return how a package of one side stands; *other* is the kind of machine of the side without it."""
    table = package_table()
    kind = table.class_of(known)
    if kind is not PackageClass.NUMERIC or known.startswith(GIT):
        return Standing.REMARK, _why_not(kind)
    if other is not None and table.maker_of(known) not in (None, other):
        return Standing.REMARK, Message("precheck.versions.packages.foreign")
    return (Standing.TARGET_ONLY if on_target else Standing.GOLDEN_ONLY), None


def _standing(known: str, alike: Likeness, *, one_kind: bool) -> tuple[Standing, Message | None]:
    table = package_table()
    kind, role = table.class_of(known), table.role_of(known)
    counts = kind is PackageClass.NUMERIC or known.startswith(GIT)
    if kind is PackageClass.DEVICE and one_kind:
        counts = role is None or role.counts
    if alike is Likeness.SAME:
        return Standing.EQUAL, None
    if not counts:
        return Standing.REMARK, _why_not(kind)
    if alike is Likeness.UNKNOWN:
        return Standing.UNKNOWN, Message("precheck.versions.packages.untold")
    if alike is Likeness.LOCAL:
        return Standing.REMARK, Message("precheck.versions.packages.local")
    commit = alike is Likeness.COMMIT
    return Standing.DIFFERS, Message("precheck.versions.packages.commit") if commit else None


def _why_not(kind: PackageClass) -> Message:
    return Message(f"precheck.versions.packages.{kind}")
