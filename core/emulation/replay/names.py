"""From the name of a call to its operator in the table."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from core.emulation.operators import OPERATORS
from core.emulation.operators.dropout import RANDOM
from core.emulation.operators.table import Operator
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.emulation.torch_backend.allowed import added_operator
from core.emulation.torch_backend.operators import completed, torch_operator

_PREFIXES = (
    "Functional", "Torch", "Tensor", "NPU", "VF", "Aten", "Distributed", "MindSpeed", "Mint",
    "MintFunctional", "MintDistributed", "Primitive", "API",
)  # fmt: skip
_API = re.compile(rf"^({'|'.join(_PREFIXES)})[._](.+)$", re.S)
_IN_PLACE = {
    f"i{name}": name
    for name in ("add", "sub", "mul", "truediv", "div", "floordiv", "pow", "and", "or", "xor", "matmul")
}
_REVERSED_ALIKE = {"radd": "add", "rmul": "mul"}
_COMMUNICATION = ("Distributed", "MintDistributed")
_WEIGHT_FIRST = {
    ("Torch", "batch_norm"): "torch_batch_norm", ("VF", "batch_norm"): "torch_batch_norm",
    ("Torch", "embedding"): "torch_embedding", ("Aten", "embedding"): "torch_embedding",
    ("Tensor", "where"): "tensor_where",
}  # fmt: skip
"""Functions whose arguments come in another order in one namespace than in the others."""


@dataclass(frozen=True, slots=True)
class Api:
    """An API call's operator; ``in_place`` where it may overwrite its first operand.

    ``dunder``: called by a Python operator, which takes no keywords.
    """

    operator: Operator
    in_place: bool
    dunder: bool


def resolve(stem: str, *, torch: bool = False) -> Api:
    """Return the operator that an API name without direction and count means.

    With *torch*, what the table lacks may come from there, if it is installed.

    Raises
    ------
    NotReplayable
        COMMUNICATION, RANDOM or UNSUPPORTED_OPERATOR.
    """
    found = _API.match(stem)
    prefix, name = (found[1], found[2]) if found else ("", stem.rsplit(".", 1)[-1])
    if prefix in _COMMUNICATION:
        raise NotReplayable(NotReplayed.COMMUNICATION, name)
    if prefix == "Aten":
        name = name.split(".", 1)[0]  # what follows names the overload
    name = name.rsplit(".", 1)[-1]
    name = _WEIGHT_FIRST.get((prefix, name), name)
    if name in RANDOM:
        raise NotReplayable(NotReplayed.RANDOM, name)
    found_here = _in_table(name)
    if found_here is None and torch:
        found_here = _by_torch(prefix, found[2] if found else name)
    if found_here is None:
        raise NotReplayable(NotReplayed.UNSUPPORTED_OPERATOR, name)
    if torch:
        return replace(found_here, operator=completed(found_here.operator))
    return found_here


def _by_torch(prefix: str, dotted: str) -> Api | None:
    name = added_operator(prefix, dotted)
    operator = torch_operator(name) if name is not None else None
    return Api(operator, False, dotted.startswith("__")) if operator is not None else None


def _in_table(name: str) -> Api | None:
    if name in OPERATORS:
        return Api(OPERATORS[name], False, False)
    if name.startswith("__") and name.endswith("__") and len(name) > 4:
        inner = name[2:-2]
        in_place = inner in _IN_PLACE
        inner = _IN_PLACE.get(inner, _REVERSED_ALIKE.get(inner, inner))
        if inner in OPERATORS:
            return Api(OPERATORS[inner], in_place, True)
    elif name.endswith("_") and name[:-1] in OPERATORS:
        return Api(OPERATORS[name[:-1]], True, False)
    return None
