"""The official accuracy checker's standards as a compatible judgement, by its code or by its guide."""

from core.emulation.standards.first_stage import FirstStage, Status, first_stage
from core.emulation.standards.judgement import (
    StandardJudgement,
    intended_standard,
    judge,
    released_standard,
)
from core.emulation.standards.measures import Measures, ThresholdRates, accumulated_rates, measure
from core.emulation.standards.numbers import Standard, Variant

__all__ = [
    "FirstStage",
    "Measures",
    "Standard",
    "StandardJudgement",
    "Status",
    "ThresholdRates",
    "Variant",
    "accumulated_rates",
    "first_stage",
    "intended_standard",
    "judge",
    "measure",
    "released_standard",
]
