"""What a place names: the data set, model or tokenizer that lies there, whatever machine keeps it where."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction

from core.records.evidence import Scalar, Value

_WORDS = re.compile(r"[\s,]+")
_SHARE = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)
_HUB = re.compile(r"models--(?:.+--)?(?P<name>.+)")
"""A folder of the Hugging Face cache; below it stand ``snapshots`` and a commit."""
_DEVICE = re.compile(r"(?:^|[-_.])(?:npus?|gpus?|cuda|ascend|atlas|nvidia|[ah]\d00|910[a-z]?\d?)(?=$|[-_.])")
_LAYOUT = re.compile(r"(?:^|[-_.])(?:(?:tp|pp|ep|cp|dp|vpp)[-_]?\d+|mcore|megatron|legacy|hf)(?=$|[-_.\d])")
"""A checkpoint's name tells how it was cut, and for which framework it was converted."""
_GENERAL = re.compile(
    r"(?:iter|global_?step|step|checkpoint|epoch)?[-_]?\d*"
    r"|(?:pre_?)?train(?:ing|ed)?|data|datas?ets?|models?|ckpts?|checkpoints?|weights?|tokenizers?|vocab|merges|latest|release"
    r"|output|outputs|save|saved|home|root|mnt|opt|work|workspace|user|users|share|shared|files?|path|base|snapshots"
)
"""Names that many places have: they tell something only with the folder above."""
_FILE = re.compile(
    r"\.(?:json|jsonl|txt|model|bin|idx|parquet|arrow|csv|safetensors|pt|pth|ckpt|mindrecord|vocab)$"
)


def named_by(value: Value) -> str | tuple[str, ...]:
    """Return what *value* names: the last part of a path that tells something, in lower case.

    Words of devices, of a checkpoint's layout and endings of files do not tell: ``/npu/llama2-7b-tp8/`` and
    ``meta/Llama2-7B`` are one name. Of several places each is told with its share of all, as in Megatron-LM's
    ``--data-path 0.3 A 0.7 B``.
    """
    words = [word for item in (value if isinstance(value, tuple) else (value,)) for word in _split(item)]
    numbers = [Fraction(word) if _SHARE.fullmatch(word) else None for word in words]
    shares = [number for number in numbers if number is not None]
    names = [_name(word) for word, number in zip(words, numbers) if number is None]
    if len(names) == 1:
        return names[0]
    if not names or not shares:
        return tuple(names or words)
    total = sum(shares) or Fraction(1)
    return tuple(
        _name(word) if number is None else f"{float(number / total):.9g}"
        for word, number in zip(words, numbers)
    )


def _split(item: Scalar) -> Sequence[str]:
    return [word for word in _WORDS.split(str(item).strip().strip("\"'")) if word]


def _name(path: str) -> str:
    """Return the parts of *path* from the last one that tells something on."""
    parts = [part for part in re.split(r"[/\\]+", path.lower()) if part not in ("", ".", "..", "~")]
    for part in parts:
        if hub := _HUB.fullmatch(part):
            return _bare(hub["name"])
    told = [_bare(part) for part in parts]
    for first in range(len(told) - 1, -1, -1):
        if not _GENERAL.fullmatch(told[first]):
            return "/".join(told[first:])
    return told[-1] if told else path


def _bare(part: str) -> str:
    return _LAYOUT.sub("", _DEVICE.sub("", _FILE.sub("", part))).strip("-_.")


def is_doubtful(first: object, second: object) -> bool:
    """Return whether two places have one general name, as ``train.json``, in folders of other names."""
    if not (isinstance(first, str) and isinstance(second, str)):
        return False
    ends = [name.rpartition("/") for name in (first, second)]
    return ends[0][2] == ends[1][2] and any(folder for folder, _, _ in ends)
