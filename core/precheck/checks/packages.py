"""Whether both sides have the same software installed."""

from __future__ import annotations

from collections.abc import Mapping

from core.messages import Message
from core.precheck.checks.phrases import first_ones, without
from core.precheck.finding import Finding
from core.precheck.pair import Pair, Side
from core.precheck.software.packages import GIT, PackageClass, package_table
from core.precheck.software.releases import Likeness, likeness
from core.records.evidence import Version
from core.records.precheck import Item, Outcome, Standing

_ORDER = (PackageClass.NUMERIC, PackageClass.DEVICE, PackageClass.OTHER, PackageClass.TOOLS)


def packages(pair: Pair) -> Finding:
    """Check that software that computes is installed on both sides in the same version.

    ``resources/tables/packages.toml`` says which that is. Another build of one release (``+cu121``,
    ``+cpu``), tools, and packages that the table does not know are shown and do not count.
    """
    target, golden = installed(pair.target), installed(pair.golden)
    known = [_computes(side) for side in (target, golden)]
    if not all(known):
        return without("packages", target=known[0], golden=known[1])
    names = sorted({*target, *golden}, key=lambda name: (_ORDER.index(package_table().class_of(name)), name))
    items = [_item(name, target.get(name), golden.get(name)) for name in names]
    counting = [item for item in items if item.standing not in (Standing.EQUAL, Standing.REMARK)]
    both = sum(name in target and name in golden for name in names)
    if counting:
        told = first_ones([_told(item) for item in counting])
        message = Message("precheck.versions.packages.fail", {"count": len(counting), "packages": told})
        return Finding(Outcome.FAIL, message, items)
    if not both:
        return without("common_packages", target=False, golden=False)
    return Finding(Outcome.PASS, Message("precheck.versions.packages.pass", {"count": both}), items)


def installed(side: Side) -> dict[str, Version]:
    """Return what *side* has, by known name; of what is told twice the last that tells a version holds."""
    table = package_table()
    found: dict[str, Version] = {}
    for item in side.versions():
        name = table.known_name(item.name)
        if item.version or name not in found:
            found[name] = item
    return found


def _computes(versions: Mapping[str, Version]) -> bool:
    """Whether any of *versions* is of software that this row compares; drivers alone are not."""
    classes = {package_table().class_of(name) for name in versions}
    return not classes.isdisjoint((PackageClass.NUMERIC, PackageClass.OTHER))


def _told(item: Item) -> str:
    return f"{item.name} {item.target or '—'} / {item.golden or '—'}"


def _item(known: str, target: Version | None, golden: Version | None) -> Item:
    kind = package_table().class_of(known)
    counts = kind is PackageClass.NUMERIC or known.startswith(GIT)
    there = target or golden
    if target is None or golden is None:
        standing, remark = _one_sided(known, kind, target is not None)
    else:
        counts |= kind is PackageClass.DEVICE
        standing, remark = _standing(kind, likeness(target.version, golden.version), counts)
    return Item(
        there.name if there else known,
        target.version if target else "",
        golden.version if golden else "",
        standing,
        target.place if target else None,
        golden.place if golden else None,
        remark,
    )


def _one_sided(known: str, kind: PackageClass, on_target: bool) -> tuple[Standing, Message | None]:
    if kind is PackageClass.NUMERIC and not known.startswith(GIT):
        return (Standing.TARGET_ONLY if on_target else Standing.GOLDEN_ONLY), None
    return Standing.REMARK, _why_not(kind)


def _standing(kind: PackageClass, alike: Likeness, counts: bool) -> tuple[Standing, Message | None]:
    if alike is Likeness.SAME:
        return Standing.EQUAL, None
    if not counts:
        return Standing.REMARK, _why_not(kind)
    if alike is Likeness.LOCAL:
        return Standing.REMARK, Message("precheck.versions.packages.local")
    commit = alike is Likeness.COMMIT
    return Standing.DIFFERS, Message("precheck.versions.packages.commit") if commit else None


def _why_not(kind: PackageClass) -> Message:
    return Message(f"precheck.versions.packages.{kind}")
