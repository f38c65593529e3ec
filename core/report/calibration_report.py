"""A calibration as sentences for a terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from core.emulation.calibration.findings import Calibration, Finding, GroupFit, State
from core.emulation.calibration.probes import TELLS
from core.emulation.calibration.reading import Measured
from core.emulation.calibration.simulation import Setting
from core.emulation.chips.profile import Profile
from core.messages import text

_FEW = 6
"""Values that are listed; more are counted."""


def calibration_as_rows(calibration: Calibration) -> list[tuple[str, ...]]:
    """Return a row a parameter: its name, what is known of it, and the values that remain."""
    return [
        (
            parameter_label(finding.parameter),
            text(f"calibration.state.{finding.state.value}"),
            _values(finding),
        )
        for finding in calibration.findings
    ]


def calibration_as_lines(calibration: Calibration, measured: Measured) -> Iterator[str]:
    """Yield what is to be known beside the table of parameters."""
    for finding in calibration.findings:
        if finding.by_group:
            said = "; ".join(
                f"{text(f'calibration.group.{group.value}')}: {_listed(values)}"
                for group, values in finding.by_group.items()
            )
            yield text("calibration.disagree", parameter=parameter_label(finding.parameter), said=said)
    for group in calibration.groups:
        if not group.examined:
            yield text("calibration.not_examined", group=text(f"calibration.group.{group.group.value}"))
        elif not group.fits:
            yield _unexplained(group)
    if calibration.order_varies:
        orders = ", ".join(
            f"splits={splits}{' reverse' if back else ''}" for splits, back in calibration.orders
        )
        yield text("calibration.order_varies", orders=orders)
    if measured.failures:
        name, why = next(iter(measured.failures.items()))
        yield text("calibration.failures", count=len(measured.failures), probe=name, why=why or "?")
    if measured.kind != "npu":
        yield text("calibration.no_npu", kind=measured.kind or "?")
    explained = "calibration.explained" if calibration.explained else "calibration.not_explained"
    yield text(explained, count=len(measured.results))


def _unexplained(group: GroupFit) -> str:
    label = text(f"calibration.group.{group.group.value}")
    if not group.best:
        return text("calibration.no_order", group=label)
    setting = ", ".join(f"{name}={_plain(value)}" for name, value in closest_of(group).items())
    return text("calibration.no_setting", group=label, setting=setting, share=group.share)


def closest_of(group: GroupFit) -> Setting:
    """Return the closest setting of a group, without parameters that other groups tell."""
    wanted = TELLS[group.group]
    return {name: value for name, value in group.best.items() if name in wanted or name.startswith("block_")}


def parameter_label(name: str) -> str:
    """Return the name of a parameter, or of what the envelope varies, for people."""
    if name in ("splits", "reverse", "bf16_rounding"):
        return text(f"calibration.parameter.{name}")
    return text(f"emulation.parameter.{name}")


def _values(finding: Finding) -> str:
    if finding.state in (State.DETERMINED, State.NARROWED):
        return _listed(finding.values)
    return ""


def _listed(values: tuple[Any, ...]) -> str:
    shown = ", ".join(_plain(value) for value in values[:_FEW])
    return shown if len(values) <= _FEW else f"{shown}, … ({len(values)})"


def _plain(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def calibration_as_json(calibration: Calibration, measured: Measured, base: Profile) -> Mapping[str, Any]:
    """Return all that was found as one JSON document."""
    return {
        "device": measured.device,
        "kind": measured.kind,
        "torch": measured.torch,
        "torch_npu": measured.torch_npu,
        "switches": dict(measured.switches),
        "based_on": base.name,
        "probes": len(measured.results),
        "not_run": dict(measured.failures),
        "explained": calibration.explained,
        "complete": calibration.complete,
        "parameters": [
            {
                "parameter": finding.parameter,
                "state": finding.state.value,
                "values": list(finding.values),
                "tried": list(finding.tried),
                "by_group": {group.value: list(values) for group, values in finding.by_group.items()},
            }
            for finding in calibration.findings
        ],
        "groups": [
            {
                "group": group.group.value,
                "probes": group.probes,
                "examined": group.examined,
                "fits": group.fits,
                "share": group.share if group.best else None,
                "closest": None if group.fits else dict(closest_of(group)),
            }
            for group in calibration.groups
        ],
        "orders": [{"splits": splits, "reverse": reverse} for splits, reverse in calibration.orders],
    }
