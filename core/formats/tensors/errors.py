"""The one exception of this package: a tensor that cannot be opened, and why."""

from __future__ import annotations

from core.errors import InputError, Problem
from core.messages import Parameter


class TensorError(InputError):
    """A tensor cannot be opened; carries the :class:`~core.errors.Problem` that says why."""


def failure(code: str, path: str, **parameters: Parameter) -> TensorError:
    """Return the exception that carries ``Problem(code, path, parameters)``."""
    return TensorError(Problem(code, path, parameters))


def choice_failure(path: str, tensors: int) -> TensorError:
    """Return the exception for a file that holds no tensor, or several of which none was named."""
    return failure("tensor_choice", path, tensors=tensors) if tensors else failure("tensor_none", path)
