"""A diagnosis as plain values and back, for result files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.messages import Message
from core.records.diagnosis import Diagnosis, Kind, Proof, Severity, Suspect
from core.records.run import CellKey


def encode_diagnosis(diagnosis: Diagnosis) -> dict[str, Any]:
    """Return *diagnosis* as values that JSON can hold."""
    return {
        "suspects": [_encode(suspect) for suspect in diagnosis.suspects],
        "remarks": [_encode(suspect) for suspect in diagnosis.remarks],
    }


def decode_diagnosis(said: Mapping[str, Any]) -> Diagnosis:
    """Return what :func:`encode_diagnosis` encoded."""
    return Diagnosis(
        tuple(_decode(item) for item in said["suspects"]), tuple(_decode(item) for item in said["remarks"])
    )


def _encode(suspect: Suspect) -> dict[str, Any]:
    return {
        "kind": suspect.kind.value,
        "severity": suspect.severity.value,
        "proof": suspect.proof.value,
        "cell": list(suspect.cell),
        "operator": suspect.operator,
        "golden_operator": suspect.golden_operator,
        "slot": suspect.slot,
        "code": suspect.message.code,
        "parameters": dict(suspect.message.parameters),
        "evidence": dict(suspect.evidence),
        "module": suspect.module,
        "row": suspect.row,
    }


def _decode(said: Mapping[str, Any]) -> Suspect:
    return Suspect(
        kind=Kind(said["kind"]),
        severity=Severity(said["severity"]),
        proof=Proof(said["proof"]),
        cell=CellKey(*said["cell"]),
        operator=said["operator"],
        golden_operator=said["golden_operator"],
        slot=said["slot"],
        message=Message(said["code"], said["parameters"]),
        evidence=said["evidence"],
        module=said["module"],
        row=int(said["row"]),
    )
