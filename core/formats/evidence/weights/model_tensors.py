"""Which tensors of a checkpoint are the model's weights, and what they are called in it.

Trainers save the model beside the optimizer's moments and the states of random generators. The containers
are those of Megatron-LM (``model``, ``model0`` ... with virtual pipeline stages), DeepSpeed (``module``),
Lightning (``state_dict``) and what scripts commonly write.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_CONTAINERS = (
    "module",
    "model",
    "state_dict",
    "model_state_dict",
    "model_state",
    "net",
    "network",
    "params",
    "weights",
)
_SURE = ("module", "state_dict", "model_state_dict")
"""Containers that no model calls a part of itself."""
_VIRTUAL = re.compile(r"model\d{1,3}")
_BESIDE = frozenset(
    (
        "optimizer", "optimizers", "optim", "optimizer_state", "optimizer_state_dict", "optimizer_states",
        "rng", "rng_state", "random_rng_state", "torch_rng_state", "cuda_rng_state", "rng_tracker_states",
        "scheduler",
        "lr_scheduler", "lr_schedulers", "scheduler_state_dict", "opt_param_scheduler", "amp", "scaler",
        "grad_scaler", "ema", "client_state", "rerun_state_machine", "num_floating_point_operations_so_far",
        "buffer_names", "param_shapes", "frozen_param_shapes", "data_sampler", "random_ltd", "loss_scaler",
        "epoch", "iteration", "step", "global_step", "global_steps", "skipped_steps", "global_samples",
        "args",
    )
)  # fmt: skip
"""First parts of names that no weight has."""
_MOMENTS = frozenset(("exp_avg", "exp_avg_sq", "max_exp_avg_sq", "momentum_buffer", "_extra_state"))
"""Last parts of names of what an optimizer, or an engine, keeps of a weight."""
_MINDSPORE = re.compile(
    r"(?:adam_[mv]|moments?\d?|accum|learning_rate|scale_sense|loss_scale|global_step|epoch_num|step_num"
    r"|current_iterator_step|last_overflow_iterator_step|beta[12]_power)(?:\..*)?"
)


def model_keys(names: Sequence[str]) -> dict[str, str]:
    """Return, of the tensors *names* of one file, the weights: key in the model by name in the file."""
    kept = [name for name in names if _is_weight(name)]
    firsts = {name.partition(".")[0] for name in names}
    inside = [first for first in _CONTAINERS if first in firsts]
    whole = {first for first in firsts if first not in _BESIDE}
    virtual = {first for first in whole if _VIRTUAL.fullmatch(first)}
    # A container is one only if nothing else but what lies beside stands at its level; alone, `model.` may as
    # well begin the keys of a bare state.
    for container in inside:
        if whole == {container} and (firsts != whole or container in _SURE):
            head = f"{container}."
            return {name: name.removeprefix(head) for name in kept if name.startswith(head)}
    if virtual and whole == virtual:
        return {name: name for name in kept}
    return {name: name for name in kept if name.partition(".")[0] not in _BESIDE}


def _is_weight(name: str) -> bool:
    return name.rpartition(".")[2] not in _MOMENTS and not _MINDSPORE.fullmatch(name)
