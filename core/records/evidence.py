"""What people have of a training run beside its dump: scripts, configurations, lists, printed facts.

A reader says what a file holds, in the file's own words; what the words mean is the pre-check's business.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from core.errors import Problem
from core.records.columns import Float64, Int64
from core.records.curves import LoggedRun


class EvidenceKind(StrEnum):
    """What a piece of evidence tells of. One file may be of several kinds."""

    SCRIPT = "script"
    """A shell script that launches the training."""
    CONFIG = "config"
    """Settings in yaml, JSON, TOML or Python."""
    ARGUMENTS = "arguments"
    """Settings as the training printed them into its log."""
    PACKAGES = "packages"
    """Installed software and its versions."""
    ENVIRONMENT = "environment"
    DEVICES = "devices"
    """What ``npu-smi`` or ``nvidia-smi`` printed."""
    CHECKSUMS = "checksums"
    """Files with a checksum each."""
    FILES = "files"
    """Files in the order in which they are read or listed."""
    SHARDS = "shards"
    """Files that each node reads."""
    SAMPLES = "samples"
    """Statistics of the first batches."""
    RANDOM_CALLS = "random_calls"
    """How often the training drew random numbers, by place in the code."""
    WEIGHTS = "weights"
    """A checkpoint, or statistics of weights."""
    LOG = "log"
    """A training log."""
    REPEAT_LOG = "repeat_log"
    """The log of a further run that should give the same."""
    FULL_PRECISION_LOG = "full_precision_log"
    """The log of the same training in float32."""
    DUMP = "dump"
    SOURCE = "source"
    """The training's code: a file or a folder."""
    DATA = "data"
    """A folder that holds the data set."""


class Dialect(StrEnum):
    """Whose names the settings of a file are; the same name may mean different things."""

    MEGATRON = "megatron"
    """Command-line options of Megatron-LM, MindSpeed and their relatives."""
    DEEPSPEED = "deepspeed"
    HUGGING_FACE = "hugging_face"
    """TrainingArguments of transformers; LLaMA-Factory uses the same names."""
    MODEL = "model"
    """A model's ``config.json``."""
    MINDFORMERS = "mindformers"
    LAUNCHER = "launcher"
    """Options of torchrun, msrun, deepspeed, accelerate: before the training's own."""
    ENVIRONMENT = "environment"
    """Variables that a launch script sets and that hold settings, as ``MASTER_PORT`` or ``GBS``."""
    PLAIN = "plain"
    """Names of nobody known."""


class Given(NamedTuple):
    """A path that a user brings as evidence."""

    path: str
    kind: EvidenceKind | None = None
    """What it is to be read as; ``None`` lets its content decide."""


class Place(NamedTuple):
    """Where something was said."""

    path: str
    line: int = 0
    """Counted from 1; 0 where lines say nothing."""
    member: str = ""
    """The file inside the archive *path*."""


Scalar = str | int | float | bool | None
Value = Scalar | tuple[Scalar, ...]
"""What a setting holds. Numbers stay as typed where the file is typed; shell words stay texts."""


class Setting(NamedTuple):
    """One setting, in the words of its file."""

    name: str
    """As it is spelt, the path through sections joined by dots: ``micro-batch-size``,
    ``optimizer.params.lr``.
    """
    value: Value
    """``True`` for an option that stands without a value; ``None`` where the file says null."""
    place: Place
    dialect: Dialect
    known: bool = True
    """False: it depends on what only the machine knows, as an unset variable; *value* is the text."""


class Version(NamedTuple):
    """One piece of software."""

    name: str
    """As it is spelt: ``torch-npu``, ``CANN``, ``driver``."""
    version: str
    """As it is printed, with local suffix or commit: ``2.1.0+cu121``; empty where none is told."""
    place: Place


class Variable(NamedTuple):
    """One environment variable; a secret's value is already masked."""

    name: str
    value: str
    place: Place


class Device(NamedTuple):
    """One accelerator."""

    name: str
    """``Ascend 910B3``, ``NVIDIA A100-SXM4-80GB``."""
    memory: str
    """As it is printed."""
    place: Place


@dataclass(frozen=True)
class FileList:
    """Files of a data set; arrays and tuples have one entry a file."""

    names: tuple[str, ...]
    """As they are spelt, with ``/`` between folders."""
    sizes: Int64
    """Bytes; -1 where not told."""
    digests: tuple[str, ...]
    """Lower-case hexadecimal; empty where not told."""
    algorithm: str
    """``md5``, ``sha1``, ``sha256`` ...; empty without checksums."""
    ordered: bool
    """Whether the order of the list is the order of reading, or of the file system."""
    place: Place


class Shard(NamedTuple):
    """What one node, or rank, reads."""

    node: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class WeightTable:
    """The tensors of a checkpoint, or statistics of them; tuples and arrays have one entry a tensor."""

    keys: tuple[str, ...]
    dtypes: tuple[str, ...]
    """Names as in :data:`core.dtypes.DTYPES`; empty where not told."""
    shapes: tuple[tuple[int, ...] | None, ...]
    digests: tuple[str, ...]
    """SHA-256 over the elements in their own order and dtype; empty where only statistics are told."""
    statistics: Float64
    """(n, 4): max, min, mean, norm; NaN where not told."""
    files: tuple[str, ...]
    """The file that holds the tensor's bytes; empty where only statistics are told."""
    members: tuple[str, ...]
    """Name inside that file, for :func:`core.formats.tensors.opening.open_tensor`."""
    step: int
    """Step of the training that the weights belong to; -1 where not told."""
    place: Place
    special: frozenset[str] = frozenset()
    """Keys of tensors that hold NaN or an infinity."""


class RandomCalls(NamedTuple):
    """How often one place in the code drew random numbers."""

    function: str
    stack: str
    count: int  # type: ignore[assignment]  # a tuple's own `count` is not needed


class Sample(NamedTuple):
    """Statistics of one tensor of one batch."""

    step: int
    rank: int
    name: str
    max: float
    min: float
    mean: float
    norm: float


@dataclass(frozen=True)
class Evidence:
    """What one given path holds, or one file inside a given folder or archive."""

    path: str
    kinds: tuple[EvidenceKind, ...]
    """Empty where nothing was understood; a problem then says why."""
    settings: tuple[Setting, ...] = ()
    """In the order of the file: of a name said twice the later one holds."""
    program: str = ""
    """The script that the launch line starts."""
    versions: tuple[Version, ...] = ()
    environment: tuple[Variable, ...] = ()
    devices: tuple[Device, ...] = ()
    files: FileList | None = None
    shards: tuple[Shard, ...] = ()
    samples: tuple[Sample, ...] = ()
    random_calls: tuple[RandomCalls, ...] = ()
    weights: WeightTable | None = None
    log: LoggedRun | None = None
    """The curves of a log; the readers leave them to the pre-check."""
    problems: tuple[Problem, ...] = field(default=())
