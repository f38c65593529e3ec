"""Names of the values that trainings log, the same for every form of log."""

from __future__ import annotations

from enum import StrEnum


class Series(StrEnum):
    """Names of values that mean the same in every form of log. Others keep the name the log gives them."""

    LOSS = "loss"
    LEARNING_RATE = "learning_rate"
    GRAD_NORM = "grad_norm"
    GLOBAL_BATCH = "global_batch"
    LOSS_SCALE = "loss_scale"
    """The loss scale in force, or the new one where the line tells of a change."""
    ATTEMPTED_SCALE = "attempted_loss_scale"
    """The loss scale at which the step overflowed."""
    SKIPPED = "skipped"
    """Steps skipped since the record before."""
    SKIPPED_TOTAL = "skipped_total"
    """Steps skipped since the training began."""
    NAN_STEPS = "nan_steps"
    """Steps with a loss that is not finite since the record before."""
    OVERFLOW = "overflow"
    """1: the step overflowed and was skipped, 0: it did not."""
    CONSUMED_SAMPLES = "consumed_samples"
    """Samples trained on since the training began."""
    CONSUMED_TOKENS = "consumed_tokens"
    STEP_TIME = "step_time"
    """Milliseconds a step took."""
    THROUGHPUT = "throughput"
    """Samples, or tokens, a second; as the log counts."""
    VALIDATION_LOSS = "validation_loss"
    VALIDATION_ACCURACY = "validation_accuracy"
    EPOCH = "epoch"
