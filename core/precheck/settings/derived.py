"""Settings that follow from others: groups, batch, steps, vocabulary, widths, number of parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from core.messages import Message
from core.precheck.settings import formulas
from core.precheck.settings.formulas import Decoder, Uneven, Worked
from core.precheck.settings.known import Contradiction, How, Known, number, whole
from core.precheck.settings.values import shown
from core.records.evidence import Dialect

_GATED = frozenset(("swiglu", "geglu", "quick_geglu"))
_OF_SHAPE = (
    "layers", "hidden_size", "attention_heads", "kv_heads", "head_size", "ffn_hidden_size",
    "padded_vocabulary", "tied_embeddings", "activation", "norm", "norm_epsilon", "position_embedding",
    "positions", "linear_bias", "query_key_value_bias", "experts", "expert_hidden_size",
)  # fmt: skip
"""Settings that the number of parameters hangs on: with one of them open it does not follow."""


class Derivation:
    """Fills in what the known settings of one side imply.

    Parameters
    ----------
    known
        What the side says, and its frameworks' defaults; derived ones are added to it.
    frameworks
        Dialects whose command line is complete, so that their rules hold where nothing is said.
    unknown
        Settings that are said, but nobody knows with which value: no rule for the unsaid holds for them.
    llama_factory
        Whether LLaMA-Factory trains, all of whose settings are told.
    """

    def __init__(
        self,
        known: dict[str, Known],
        frameworks: frozenset[Dialect],
        unknown: frozenset[str] = frozenset(),
        *,
        llama_factory: bool = False,
    ) -> None:
        self._is_llama_factory = llama_factory
        self._known = known
        self._frameworks = frameworks
        self._unknown = unknown
        self.contradictions: list[Contradiction] = []
        """Numbers that no training can run with, or that say two things."""

    def derive(self) -> None:
        """Add all that follows, what others need first."""
        for step in (self._precision, self._groups, self._batch, self._steps, self._model, self._vocabulary):
            step()
        if self._is_llama_factory:
            self._adapter()

    def _whole(self, name: str) -> int | None:
        return whole(self._known.get(name))

    def _factor(self, name: str) -> int | None:
        """Return the whole number *name*: 1 where it is not said, ``None`` where nobody knows it."""
        return self._whole(name) or (None if self._is_open(name) else 1)

    def _is_open(self, *names: str) -> bool:
        """Whether one of *names* is said, but not known."""
        return any(name in self._unknown and name not in self._known for name in names)

    def _is_unsaid(self, name: str) -> bool:
        return name not in self._known and name not in self._unknown

    def _add(self, name: str, worked: Worked | Uneven) -> None:
        """Add what was worked out, or hold it against what is said."""
        known = self._known.get(name)
        if isinstance(worked, Uneven):
            message = Message("precheck.setting.uneven", {"name": name, "formula": worked.formula})
            self.contradictions.append(Contradiction(name, message))
            return
        remark = Message("precheck.setting.derived", {"formula": worked.formula})
        if known is None or known.how is How.DEFAULT:
            value = worked.value
            self._known[name] = Known(name, value, shown(value), None, How.DERIVED, remark=remark)
        elif known.value != worked.value:
            facts = {"name": known.said_as or name, "said": known.spelled, "formula": worked.formula}
            message = Message("precheck.setting.contradiction", facts)
            self.contradictions.append(Contradiction(name, message, known.place))

    def _is_megatron(self) -> bool:
        return Dialect.MEGATRON in self._frameworks

    def _precision(self) -> None:
        half = [name for name in ("bf16", "fp16") if self._is_on(name)]
        flags = [self._known[name] for name in ("bf16", "fp16") if name in self._known]
        if self._is_unsaid("precision") and flags:
            self._precision_of(flags, half)
        if self._is_megatron():  # ``params_dtype`` (validate_args)
            self._copied("parameter_type", "precision")

    def _precision_of(self, flags: list[Known], half: list[str]) -> None:
        if half:
            chosen = self._known[half[0]]
            self._known["precision"] = chosen._replace(name="precision", value=half[0], spelled=half[0])
        elif len(flags) == 2:
            how = How.DEFAULT if all(flag.how is How.DEFAULT for flag in flags) else How.DERIVED
            plain = flags[0]._replace(name="precision", value="fp32", spelled="fp32", how=how)
            self._known["precision"] = plain

    def _is_on(self, name: str) -> bool:
        known = self._known.get(name)
        return known is not None and known.value is True

    def _groups(self) -> None:
        nodes, processes = self._whole("nodes"), self._whole("processes_per_node")
        if (
            nodes is None
            and not self._is_open("nodes")
            and processes
            and self._known["processes_per_node"].dialect is Dialect.LAUNCHER
        ):
            # torchrun, msrun, deepspeed and accelerate start on one node if nothing else is said
            nodes = 1
        if nodes and processes:
            self._add("world_size", formulas.world_size(nodes, processes))
        world = self._whole("world_size")
        if world:
            cuts = [self._factor(f"{name}_parallel") for name in ("tensor", "pipeline", "context")]
            known = [cut for cut in cuts if cut is not None]
            if len(known) == len(cuts):
                self._add("data_parallel", formulas.data_parallel(world, *known))

    def _batch(self) -> None:
        micro, replicas = self._whole("micro_batch"), self._whole("data_parallel")
        pipelined, stages = self._whole("pipeline_micro_batches"), self._factor("pipeline_parallel")
        if pipelined and stages is None:
            return
        times = self._factor("gradient_accumulation")
        if pipelined and times and stages and stages > 1:
            # MindFormers: a batch goes through the pipeline in so many parts, each a batch of its own
            made = Worked(times * pipelined, f"{times} × {pipelined} = {times * pipelined}")
            self._known.pop("gradient_accumulation", None)
            self._add("gradient_accumulation", made)
        batch, accumulated = self._whole("global_batch"), self._whole("gradient_accumulation")
        if micro and replicas:
            if accumulated:
                self._add("global_batch", formulas.global_batch(micro, accumulated, replicas))
            elif batch:
                self._add("gradient_accumulation", formulas.accumulation(batch, micro, replicas))
            elif self._is_megatron() and not self._is_open("global_batch", "gradient_accumulation"):
                self._add("global_batch", formulas.global_batch(micro, 1, replicas))
        if batch and micro and accumulated and not replicas:
            self._add("data_parallel", formulas.replicas(batch, micro, accumulated))
        batch, length = self._whole("global_batch"), self._whole("sequence_length")
        if batch and length:
            self._add("tokens_per_step", formulas.tokens_per_step(batch, length))

    def _steps(self) -> None:
        batch = self._whole("global_batch")
        for steps, samples in (
            ("train_steps", "train_samples"),
            ("decay_steps", "decay_samples"),
            ("decay_steps", "train_samples"),
            ("warmup_steps", "warmup_samples"),
            ("annealing_steps", "annealing_samples"),
        ):
            if steps == "decay_steps" and (steps in self._known or self._is_open("decay_samples")):
                continue  # all samples, where those of the fall are not said
            counted = self._whole(samples)
            if batch and counted and not whole(self._known.get(steps)) and not self._is_open(steps):
                self._known.pop(steps, None)  # printed as 0 or as nothing where samples are said
                self._add(steps, formulas.steps_of_samples(counted, batch, whole=steps == "train_steps"))
        if self._is_megatron() and not self._is_open("decay_samples", "train_samples"):
            self._copied("decay_steps", "train_steps")
        self._warm_up()

    def _warm_up(self) -> None:
        said = self._known.get("warmup_fraction")
        fraction, total = number(said), number(self._known.get("decay_steps"))
        if total is None and not self._is_open("decay_steps", "decay_samples"):
            total = number(self._known.get("train_steps"))
        if self._is_open("warmup_steps", "warmup_samples", "warmup_fraction"):
            return
        if said and fraction and 0 < fraction <= 1 and total and not number(self._known.get("warmup_steps")):
            self._known.pop("warmup_steps", None)
            self._add("warmup_steps", formulas.warmup_of_fraction(fraction, total, said.dialect))
        waiting = fraction or self._whole("warmup_samples")
        if "warmup_steps" not in self._known and not waiting and self._frameworks:
            self._known["warmup_steps"] = default_of("warmup_steps", 0, min(self._frameworks))

    def _copied(self, name: str, source: str) -> None:
        known = self._known.get(source)
        if self._is_unsaid(name) and known is not None:
            remark = Message("precheck.setting.copied", {"name": source})
            self._known[name] = known._replace(name=name, how=How.DERIVED, remark=remark)

    def _model(self) -> None:
        heads, hidden = self._whole("attention_heads"), self._whole("hidden_size")
        ungrouped = self._known.get("grouped_queries")
        is_open = self._is_open("grouped_queries")
        if heads and ungrouped is not None and ungrouped.value is False:
            self._known.pop("kv_heads", None)  # Megatron-LM prints 1 there and does not use it
        if heads and not is_open and (ungrouped is not None or self._has_model()):
            self._copied("kv_heads", "attention_heads")
        if heads and hidden and self._is_unsaid("head_size") and hidden % heads == 0:
            self._add("head_size", Worked(hidden // heads, f"{hidden} / {heads} = {hidden // heads}"))
        unsaid = self._is_unsaid("ffn_hidden_size") and not self._is_open("activation")
        if self._is_megatron() and hidden and unsaid:
            gated = self._known.get("activation")
            is_swiglu = gated is not None and gated.value == "swiglu"
            self._add("ffn_hidden_size", formulas.feed_forward_width(hidden, gated=is_swiglu))
        if self._is_megatron() and self._is_unsaid("expert_hidden_size"):
            self._copied("expert_hidden_size", "ffn_hidden_size")

    def _adapter(self) -> None:
        """LLaMA-Factory scales by twice the rank where nothing is said (``finetuning_args.py``)."""
        rank = self._whole("rank_of_adapter")
        if rank and self._is_unsaid("scale_of_adapter"):
            self._add("scale_of_adapter", Worked(2 * rank, f"2 × {rank} = {2 * rank}"))

    def _has_model(self) -> bool:
        return any(known.dialect is Dialect.MODEL for known in self._known.values())

    def _vocabulary(self) -> None:
        words, divisor = self._whole("vocabulary"), self._whole("vocabulary_divisor")
        tensor = self._factor("tensor_parallel")
        if words and divisor and tensor and self._is_unsaid("padded_vocabulary"):
            self._add("padded_vocabulary", formulas.padded_vocabulary(words, divisor, tensor))
        shape = decoder_of(self._known, self._whole)
        if shape is not None and self._is_unsaid("parameters") and not self._is_open(*_OF_SHAPE):
            self._add("parameters", formulas.parameters(shape))


def default_of(name: str, value: bool | int | float | str, dialect: Dialect, framework: str = "") -> Known:
    """Return the value that a framework takes where nothing is said; *framework* is its name."""
    remark = Message("precheck.setting.default", {"framework": framework or framework_name(dialect)})
    return Known(name, value, shown(value), None, How.DEFAULT, dialect=dialect, remark=remark)


def framework_name(dialect: Dialect) -> str:
    """Return how the framework of *dialect* calls itself."""
    return {Dialect.MEGATRON: "Megatron-LM", Dialect.HUGGING_FACE: "transformers"}.get(dialect, dialect.value)


def decoder_of(known: Mapping[str, Known], count: Callable[[str], int | None]) -> Decoder | None:
    """Return the shape of the decoder that the settings tell; ``None`` where they leave it open."""
    layers, hidden, heads = count("layers"), count("hidden_size"), count("attention_heads")
    kv_heads, head_size, ffn = count("kv_heads"), count("head_size"), count("ffn_hidden_size")
    words = count("padded_vocabulary") or count("vocabulary")
    activation, epsilon = known.get("activation"), known.get("norm_epsilon")
    tied = known.get("tied_embeddings")
    if words is None or activation is None or tied is None or epsilon is None:
        return None
    experts = count("experts") or 0
    if not (layers and hidden and heads and kv_heads and head_size and ffn):
        return None
    if experts and count("expert_hidden_size") not in (None, ffn):
        return None  # experts beside other layers, or shared ones: their numbers are not told
    norm = known.get("norm")
    position = known.get("position_embedding")
    learned = position is not None and position.value == "learned_absolute"
    return Decoder(
        layers,
        hidden,
        heads,
        kv_heads,
        head_size,
        ffn,
        words,
        positions=(count("positions") or 0) if learned else 0,
        gated=activation.value in _GATED,
        tied=tied.value is True,
        linear_bias=_on(known, "linear_bias"),
        query_key_value_bias=_on(known, "query_key_value_bias"),
        rms_norm=norm.value == "rmsnorm" if norm is not None else "rms" in epsilon.said_as.lower(),
        experts=experts,
    )


def _on(known: Mapping[str, Known], name: str) -> bool:
    said = known.get(name)
    return said is not None and said.value is True
