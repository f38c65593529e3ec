"""The checklist: every row, in its order, with its place among the causes and what examines it.

The rows are those of the precision guides of Ascend (pre-checks of model and training). Their frequency as
a cause follows reports of migrations: hyper-parameters, versions and the model's source first ("most of the
precision that cannot be aligned comes of hyper-parameters, third-party versions and differing source"), then
the order of data and initial weights, then precision modes; what is rarely the cause comes last.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from core.precheck.checks import (
    dataset,
    draws,
    dropout,
    dumps,
    environment,
    fused,
    hyper_parameters,
    learning_rate_curve,
    left_over,
    mixed_precision,
    model_settings,
    outside_values,
    packages,
    randomness,
    reference,
    result,
    shards,
    source,
    sources_agree,
    special_values,
    start_step,
    synchronised,
    two_runs,
    vendor,
    weights,
)
from core.precheck.finding import Finding
from core.precheck.pair import Pair
from core.progress import Work
from core.records.precheck import Group

Examine = Callable[[Pair], Finding | Work[Finding]]
"""Finds a check's result; what takes long is a generator."""


@dataclass(frozen=True)
class CheckKind:
    """One row of the list."""

    id: str
    rank: int
    """Place among the causes of misalignment, 1 the most frequent."""
    examine: Examine | None = None
    """``None``: only a person can tell."""

    @property
    def group(self) -> Group:
        """The part of the list that it stands in."""
        return Group(self.id.partition(".")[0])


CHECKLIST: tuple[CheckKind, ...] = (
    CheckKind("reference.repeatable", 33, reference.repeatable),
    CheckKind("reference.mixed_precision", 34, reference.mixed_precision),
    CheckKind("reference.overflow_rate", 32, reference.overflow_rate),
    CheckKind("mixed_precision.one_kind", 15, mixed_precision.one_kind),
    CheckKind("mixed_precision.same_kind", 9, mixed_precision.same_kind),
    CheckKind("mixed_precision.npu_mode", 30, mixed_precision.npu_mode),
    CheckKind("mixed_precision.loss_scale", 16, mixed_precision.loss_scale),
    CheckKind("mixed_precision.special_values", 18, special_values.special_values),
    CheckKind("mixed_precision.casts", 19, dumps.casts),
    CheckKind("hyper_parameters.learning_rate", 1, hyper_parameters.learning_rate),
    CheckKind("hyper_parameters.learning_rate_curve", 4, learning_rate_curve.learning_rate_curve),
    CheckKind("hyper_parameters.optimizer", 5, hyper_parameters.optimizer),
    CheckKind("hyper_parameters.batch", 2, hyper_parameters.batch),
    CheckKind("hyper_parameters.parallel", 11, hyper_parameters.parallel),
    CheckKind("hyper_parameters.others", 20, hyper_parameters.others),
    CheckKind("model.shape", 3, model_settings.shape),
    CheckKind("model.details", 6, model_settings.details),
    CheckKind("model.vocabulary", 14, model_settings.vocabulary),
    CheckKind("model.parameters", 17, model_settings.parameters),
    CheckKind("fused.attention", 10, fused.attention),
    CheckKind("fused.operators", 21, fused.operators),
    CheckKind("fused.recomputation", 36, fused.recomputation),
    CheckKind("fused.in_dumps", 22, dumps.fused_in_dumps),
    CheckKind("source.difference", 7, source.difference),
    CheckKind("versions.packages", 8, packages.packages),
    CheckKind("versions.vendor", 23, vendor.vendor),
    CheckKind("versions.devices", 40, vendor.devices),
    CheckKind("versions.environment", 24, environment.environment),
    CheckKind("dataset.files", 13, dataset.files),
    CheckKind("dataset.order", 12, dataset.order),
    CheckKind("dataset.checksums", 25, dataset.checksums),
    CheckKind("dataset.preprocessing", 26, dataset.preprocessing),
    CheckKind("dataset.first_batch", 27, outside_values.first_batch),
    CheckKind("dataset.shards", 28, shards.shards),
    CheckKind("weights.initial", 29, weights.initial),
    CheckKind("weights.in_dumps", 31, outside_values.weights_in_dumps),
    CheckKind("flow.sources_agree", 41, sources_agree.sources_agree),
    CheckKind("flow.left_over", 37, left_over.left_over),
    CheckKind("flow.start_step", 35, start_step.start_step),
    CheckKind("flow.launch", 42, sources_agree.launch),
    CheckKind("flow.synchronised", 38, synchronised.synchronised),
    CheckKind("flow.two_runs", 43, two_runs.two_runs),
    CheckKind("flow.same_operators", 39, dumps.same_operators),
    CheckKind("randomness.seed", 44, randomness.seed),
    CheckKind("randomness.dropout", 45, dropout.dropout),
    CheckKind("randomness.shuffle", 46, randomness.shuffle),
    CheckKind("randomness.determinism", 49, randomness.determinism),
    CheckKind("randomness.draws", 47, draws.draws),
    CheckKind("result.first_loss", 48, result.first_loss),
)


def kind_of(id: str) -> CheckKind | None:
    """Return the row called *id*, ``None`` if the list has none."""
    return next((kind for kind in CHECKLIST if kind.id == id), None)
