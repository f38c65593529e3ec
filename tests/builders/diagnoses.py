"""Diagnoses made by hand for :func:`builders.results.gpt_result`: three suspects and two remarks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from core.messages import Message, Parameter
from core.records.columns import ABSENT
from core.records.diagnosis import Diagnosis, Kind, Proof, Severity, Suspect
from core.records.result import CellResult
from core.records.run import CellKey

HERE, ELSEWHERE = CellKey("", 0, 0), CellKey("", 1, 2)
EVIDENCE: Mapping[str, Parameter] = {
    "local_error_target": 1424.3, "local_error_golden": 0.12, "units": 3392.0, "input_error": 3.1e-7,
    "worst_index": 322,
}  # fmt: skip
"""Local errors are counted in what is allowed."""


def row_of(cell: CellResult, name: str, slot: str = "output.0") -> int:
    """Return the row of *slot* of the operator *name* in *cell*; -1 where there is none."""
    operators = [cell.target.operator_name(index) for index in range(len(cell.target.operators))]
    if name not in operators:
        return ABSENT
    for row in np.flatnonzero(cell.rows.target_operator == operators.index(name)):
        if cell.target.slot_name(int(cell.rows.target_slot[row])) == slot:
            return int(row)
    return ABSENT


def suspect(
    operator: str,
    *,
    sentence: Message | None = None,
    kind: Kind = Kind.NUMERIC,
    severity: Severity = Severity.ERROR,
    proof: Proof = Proof.LOCAL_ERROR,
    cell: CellKey = HERE,
    slot: str = "output.0",
    evidence: Mapping[str, Parameter] = EVIDENCE,
    row: int = ABSENT,
    module: str | None = None,
) -> Suspect:
    """Return a suspect; its sentence is one that both catalogues have."""
    said = sentence or Message("gui.category.introduced.sentence", {"name": f"`{operator}`", "slot": slot})
    return Suspect(kind, severity, proof, cell, operator, operator, slot, said, evidence, module, row)


def gpt_diagnosis(cell: CellResult, faulty_layer: int = 14, elsewhere: bool = True) -> Diagnosis:
    """Return what could be said of a small GPT: its GELU first, then an argument, then another rank."""
    gelu, norm = f"Functional.gelu.{faulty_layer}.forward", "Functional.layer_norm.40.forward"
    suspects = [
        suspect(
            gelu,
            row=row_of(cell, gelu),
            module=f"Module.model.transformer.h.{faulty_layer}.mlp.MLP.forward.0",
        ),
        suspect(
            norm,
            kind=Kind.ARGUMENT,
            proof=Proof.COMPARISON,
            slot="input.4",
            evidence={"target_value": "1e-05", "golden_value": "1e-06"},
            row=row_of(cell, norm),
        ),
    ]
    if elsewhere:
        suspects.append(
            suspect(gelu, kind=Kind.OVERFLOW, proof=Proof.EQUALITY, cell=ELSEWHERE, row=row_of(cell, gelu))
        )
    fused = "NPU.npu_fusion_attention.0.forward"
    remarks = (
        suspect(
            fused,
            kind=Kind.STRUCTURE,
            severity=Severity.REMARK,
            proof=Proof.COMPARISON,
            sentence=Message(
                "gui.category.not_compared.sentence", {"name": f"`{fused}`", "slot": "output.0"}
            ),
        ),
        suspect(
            "Functional.cross_entropy.0.forward",
            kind=Kind.DTYPE,
            severity=Severity.REMARK,
            proof=Proof.COMPARISON,
            sentence=Message("gui.category.close.sentence", {"name": "cross_entropy.0", "slot": "output.0"}),
            evidence={"dtype_target": "bfloat16", "dtype_golden": "float32"},
            row=row_of(cell, "Functional.cross_entropy.0.forward"),
        ),
    )
    return Diagnosis(tuple(suspects), remarks)
