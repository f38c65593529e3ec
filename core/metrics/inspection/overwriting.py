"""Answers are of one state of the files: none where a file was overwritten while it was read."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from core.errors import InputError
from core.metrics.inspection.sources import PairSources, open_pair

P = ParamSpec("P")
Part = TypeVar("Part")
Answer = TypeVar("Answer")


def of_one_state(
    question: Callable[P, Generator[Part, None, Answer]],
) -> Callable[P, Generator[Part, None, Answer]]:
    """Decorate a long *question* about :class:`PairSources`, or about a request that has ``sources``.

    Its numbers come from mapped files, so that one who writes into these mixes old numbers with new ones.
    Asking then ends in an :class:`~core.errors.InputError`, ``overwritten_while_read``, as does whatever such
    a mixture made of the question itself.
    """

    @wraps(question)
    def asked(*args: P.args, **kwargs: P.kwargs) -> Generator[Part, None, Answer]:
        about: Any = args[0] if args else kwargs.get("sources", kwargs.get("request"))
        pair = open_pair(about if isinstance(about, PairSources) else about.sources)
        try:
            answer = yield from question(*args, **kwargs)
        except InputError:
            raise
        except Exception:
            pair.check_state()
            raise
        pair.check_state()
        return answer

    return asked
