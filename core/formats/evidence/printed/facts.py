"""Single lines in which a framework says what it settled on."""

from __future__ import annotations

import re
from collections.abc import Iterator

from core.formats.evidence.documents.scalars import number_of, python_scalar
from core.records.evidence import Dialect, Value

HINTS = (
    "world size", "batch size", "padded vocab", "for parameters", "number of parameters", "Num ",
    "trainable param", "optimization steps", "Accumulation steps",
)  # fmt: skip
"""One of these stands in every such line."""
_SIZES = re.compile(
    r"(?P<name>[A-Za-z][A-Za-z\-]*(?:[ \-]model)?[ \-](?:parallel[ \-])?size): +(?P<value>\d{1,12})"
)
_WORLD = re.compile(r"using world size: *\d")
_BATCH = re.compile(r"setting global batch size to (\d{1,12})\b")
_VOCABULARY = re.compile(
    r"padded vocab \(size: (\d{1,12})\) with \d{1,12} dummy tokens \(new size: (\d{1,12})\)"
)
_DTYPE = re.compile(r"using (torch\.\w+|\w+) for parameters")
_PARAMETERS = re.compile(
    r"number of parameters on \(tensor, pipeline\) model parallel rank \((\d{1,6}), ?(\d{1,6})\): *(\d{1,18})"
)
_RUNNING = re.compile(
    r"(?:^|[\]\-:>|] *)\s*(?P<name>Num examples|Num Epochs|Instantaneous batch size per device"
    r"|Total train batch size|Gradient Accumulation steps|Total optimization steps"
    r"|Number of trainable parameters)(?: \([^)]{0,80}\))? = (?P<value>[\d,]{1,25}|[\d.]{1,25})\s*$"
)


def facts_of(line: str) -> Iterator[tuple[str, Value, Dialect]]:
    """Yield names, values and dialects of what *line* says."""
    if _WORLD.search(line):
        for size in _SIZES.finditer(line[line.index("using world size") + 6 :][:1000]):
            yield size["name"].replace(" ", "_").replace("-", "_"), int(size["value"]), Dialect.MEGATRON
    if found := _BATCH.search(line):
        yield "global_batch_size", int(found[1]), Dialect.MEGATRON
    if found := _VOCABULARY.search(line):
        yield "vocab_size", int(found[1]), Dialect.MEGATRON
        yield "padded_vocab_size", int(found[2]), Dialect.MEGATRON
    if "..." in line and (found := _DTYPE.search(line)):
        yield "params_dtype", found[1], Dialect.MEGATRON
    if found := _PARAMETERS.search(line):
        yield f"number_of_parameters.{int(found[1])}.{int(found[2])}", int(found[3]), Dialect.MEGATRON
    if " = " in line and (found := _RUNNING.search(line)):
        number = number_of(found["value"].replace(",", ""))
        value: Value = python_scalar(found["value"]) if number is None else number
        yield found["name"].lower().replace(" ", "_"), value, Dialect.HUGGING_FACE
