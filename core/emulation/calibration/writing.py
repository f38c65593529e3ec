"""The profile that a calibration gives, as TOML for :func:`core.emulation.chips.profile.load_profile`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from core.emulation.calibration.findings import Calibration, Finding, State
from core.emulation.calibration.reading import Measured
from core.emulation.chips.profile import Basis, Profile
from core.emulation.chips.profile_values import ENVELOPE

_CLAIMED = (State.DETERMINED, State.NARROWED)
_LAYER_NORMS = ("layer_norm", "native_layer_norm")


def profile_of_calibration(calibration: Calibration, measured: Measured, base: Profile) -> str:
    """Return the text of a profile based on the shipped profile *base*.

    It holds what was determined, and of what was narrowed a value that remains; everything else stays as in
    *base*, with its basis. The envelope keeps what remains.
    """
    source = f"calibrated on {measured.device}, {len(measured.results)} probes"
    lines = [
        f"# {source}: torch {measured.torch or '-'}, torch_npu {measured.torch_npu or '-'}.",
        "# These settings give all bits of the probes that they explain; that makes nothing bit-exact.",
        "",
        "[profile]",
        f"title = {_toml(f'{measured.device} (calibrated)')}",
        f"based_on = {_toml(base.name)}",
    ]
    for finding in calibration.findings:
        name = finding.parameter
        if finding.state in _CLAIMED and name in calibration.setting:
            value = _value(name, calibration.setting[name], base)
            said = source
            if finding.state is State.NARROWED:
                said += f"; not ruled out: {', '.join(map(str, finding.values))}"
            lines += _parameter(name, value, said)
            if name == "overflow" and value not in base["overflow_modes"]:
                lines += _parameter("overflow_modes", [*base["overflow_modes"], value], source)
    envelope = list(_envelope(calibration).items())
    if envelope:
        lines += ["", "[envelope]"]
        lines += [f"{name} = {_toml(values)}{_remark(name)}" for name, values in envelope]
    return "\n".join(lines) + "\n"


def _parameter(name: str, value: Any, source: str) -> list[str]:
    return [
        "",
        f"[parameters.{name}]",
        f"value = {_toml(value)}",
        f"basis = {_toml(Basis.INFERRED.value)}",
        f"source = {_toml(source)}",
    ]


def _value(name: str, value: Any, base: Profile) -> Any:
    if name == "bf16_rounding":
        return {**base[name], **dict.fromkeys(_LAYER_NORMS, value)}
    return value


def _envelope(calibration: Calibration) -> Mapping[str, list[Any]]:
    """Return what is still to be varied of the parameters that were asked."""

    def remains(finding: Finding) -> bool:
        return finding.parameter in ENVELOPE and finding.state in _CLAIMED

    return {item.parameter: list(item.values) for item in calibration.findings if remains(item)}


def _remark(name: str) -> str:
    return "  # for the shapes of the probes; a library may split others" if name == "splits" else ""


def _toml(value: Any) -> str:
    """Return *value* as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{name} = {_toml(item)}" for name, item in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
