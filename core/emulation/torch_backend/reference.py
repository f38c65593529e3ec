"""References and controls by torch for operators that the table of numpy references lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from math import prod
from typing import Any

import numpy as np

from core.dtypes import DTYPES, DType, Kind
from core.emulation.terms.arguments import Signature, Tensor
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import storage_format, tensors_in
from core.emulation.terms.computing import Array
from core.emulation.terms.formats import BOOL, FLOAT32, INT64, is_float, round_to
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.emulation.torch_backend.allowed import GRADIENTS, added_signature, allowed
from core.emulation.torch_backend.deviation import Run, Step, bounded_by_runs
from core.emulation.torch_backend.entry import Allowed
from core.emulation.torch_backend.listed import ADDED
from core.emulation.torch_backend.running import (
    Prepare,
    prepared_as_dumped,
    prepared_in,
    run_backward,
    run_forward,
)

_DISTURBED_RUNS = 3
_SEED = 20240229
_ROOM = 4096
"""Whole numbers among the arguments up to which nothing can become large."""

_RANDOM_SWITCHES = (("dropout_p", "training"), ("dropout", "train"))
"""Arguments that draw numbers where the first is not 0 and the second is set."""


def torch_available() -> bool:
    """Whether torch is installed; does not import it."""
    return find_spec("torch") is not None


def added_operators() -> tuple[str, ...]:
    """Return our names of all operators that torch may give a reference or a gradient for, sorted."""
    return tuple(sorted({*ADDED, *GRADIENTS}))


def torch_reference(
    name: str,
    bound_arguments: Mapping[str, Any],
    outputs: Sequence[Tensor | None],
    grads: Sequence[Tensor | None] | None = None,
) -> list[Bounded | None]:
    """Return float64 references of a call, forward or backward.

    There is no running error analysis inside torch: the bounds are those of
    :mod:`core.emulation.torch_backend.deviation`, from how far float32 runs stray, and weaker.

    Parameters
    ----------
    name
        One of :func:`added_operators`.
    bound_arguments
        Arguments by the names of :func:`core.emulation.torch_backend.allowed.added_signature`: tensors,
        Python values, and lists of them.
    outputs
        The dumped outputs of this direction; their formats tell in what the call computed.
    grads
        The gradients that arrived, by forward output with a gradient; ``None`` for a forward call.

    Returns
    -------
    list
        Forward: one reference an output in torch's order, ``None`` for those that are not defined (the
        places of equal elements). Backward: one a float operand in the order of the arguments, but for
        labels and running statistics; ``None`` where none flows.

    Raises
    ------
    NotReplayable
        UNSUPPORTED_OPERATOR (not in the list, torch is missing, or the table has the forward reference),
        RANDOM, AMBIGUOUS_ARGUMENTS, SHAPE_MISMATCH or TOO_LARGE.
    """
    entry, form = _permitted(name, bound_arguments, outputs, grads)
    if grads is None and name not in ADDED:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, name)
    exact = _run(entry, form, bound_arguments, grads, prepared_in("float64"))
    if grads is None:
        exact = [
            item if entry.judged is None or place < entry.judged else None for place, item in enumerate(exact)
        ]
    if grads is None and entry.moves:
        return [None if item is None else Bounded(item) for item in exact]
    storage = storage_format(bound_arguments, [*outputs, *(grads or ())])
    # Gradients may be added up in the format they are stored in.
    stored = entry.steps or grads is not None
    step = Step.of(storage if stored else FLOAT32)
    plain = _run(entry, form, bound_arguments, grads, prepared_in("float32"))
    # Float32's own deviation, scaled, stands for that of roundings to a coarser format inside.
    runs = [[Run(item, step.units if entry.coarse_inside else 1.0) for item in plain]]
    coarse = _with_rounded_numbers(bound_arguments, storage)
    runs.append([Run(item) for item in _run(entry, form, coarse, grads, prepared_in("float32"))])
    random = np.random.default_rng(_SEED)
    for _ in range(_DISTURBED_RUNS if entry.smooth else 0):
        prepare = prepared_in("float32", random, step.units * FLOAT32.unit_roundoff)
        runs.append([Run(item) for item in _run(entry, form, bound_arguments, grads, prepare)])
    return [
        None
        if item is None
        else bounded_by_runs(item, [run[place] for run in runs if place < len(run)], step)
        for place, item in enumerate(exact)
    ]


def torch_control(
    name: str,
    bound_arguments: Mapping[str, Any],
    outputs: Sequence[Tensor | None],
    grads: Sequence[Tensor | None] | None = None,
) -> list[Tensor | None]:
    """Return what the call gives on this CPU in the formats it was dumped in.

    Where torch has no kernel for the format, the call runs in float32 and its result is rounded once.
    Results have the format of the dumped output at their place if that is a float.

    Parameters
    ----------
    name, bound_arguments, outputs, grads
        See :func:`torch_reference`.

    Raises
    ------
    NotReplayable
        See :func:`torch_reference`.
    """
    entry, form = _permitted(name, bound_arguments, outputs, grads)
    try:
        made = _run(entry, form, bound_arguments, grads, prepared_as_dumped)
    except NotReplayable:
        made = _run(entry, form, bound_arguments, grads, prepared_in("float32"))
    storage = storage_format(bound_arguments, outputs)
    formats = [
        dumped.dtype if dumped is not None and is_float(dumped.dtype) else storage
        for dumped in (*outputs, *[None] * len(made))
    ]
    return [None if item is None else _as_tensor(item, dtype) for item, dtype in zip(made, formats)]


def _permitted(
    name: str,
    values: Mapping[str, Any],
    outputs: Sequence[Tensor | None],
    grads: Sequence[Tensor | None] | None,
) -> tuple[Allowed, Signature]:
    entry = allowed(name)
    if entry is None or not torch_available() or (grads is not None and not entry.gradient):
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, name)
    form = added_signature(name)
    half = storage_format(values, [*outputs, *(grads or ())]).precision < FLOAT32.precision
    if grads is not None and half and not entry.gradient_in_half:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, name)
    for share, switch in _RANDOM_SWITCHES:
        if values.get(share) not in (None, 0, 0.0) and values.get(switch, True) is not False:
            raise NotReplayable(NotReplayed.RANDOM, share)
    _require_room(values, outputs)
    return entry, form


def _require_room(values: Mapping[str, Any], outputs: Sequence[Tensor | None]) -> None:
    """Refuse sizes among the arguments that the dumped tensors do not bear out: torch allocates them."""
    present = [*tensors_in(values), *(tensor for tensor in outputs if tensor is not None)]
    limit = 4 * sum(tensor.array.size for tensor in present) + _ROOM
    for name, value in values.items():
        numbers = [item for item in _leaves(value) if isinstance(item, (int, float)) and item == item]
        sizes = [abs(item) for item in numbers if isinstance(item, int) or name == "scale_factor"]
        if prod(max(1, item) for item in sizes) > limit:
            raise NotReplayable(NotReplayed.TOO_LARGE, name)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif not isinstance(value, bool):
        yield value


def _with_rounded_numbers(values: Mapping[str, Any], storage: DType) -> dict[str, Any]:
    """Return arguments whose numbers were rounded to the format of the tensors, as some kernels do first."""

    def rounded(value: Any) -> Any:
        return float(round_to(np.asarray(value), storage)) if isinstance(value, float) else value

    return {name: rounded(value) for name, value in values.items()}


def _run(
    entry: Allowed,
    form: Signature,
    values: Mapping[str, Any],
    grads: Sequence[Tensor | None] | None,
    prepare: Prepare,
) -> list[Array | None]:
    if grads is None:
        return [*run_forward(entry, form, values, prepare)]
    return run_backward(entry, form, values, grads, prepare)


def _as_tensor(made: Array, dtype: DType) -> Tensor:
    if made.dtype.kind == "f":
        return Tensor(round_to(made, dtype), dtype)
    if made.dtype.kind == "c":
        return Tensor(made, dtype if dtype.kind is Kind.COMPLEX else DTYPES["complex64"])
    return Tensor(made, BOOL if made.dtype.kind == "b" else INT64)
