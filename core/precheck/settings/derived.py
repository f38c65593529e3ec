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


class Derivation:
    """Fills in what the known settings of one side imply.

    Parameters
    ----------
    known
        What the side says, and its frameworks' defaults; derived ones are added to it.
    frameworks
        Dialects whose command line is complete, so that their rules hold where nothing is said.
    """

    def __init__(self, known: dict[str, Known], frameworks: frozenset[Dialect]) -> None:
        self._known = known
        self._frameworks = frameworks
        self.contradictions: list[Contradiction] = []
        """Numbers that no training can run with, or that say two things."""

    def derive(self) -> None:
        """Add all that follows, what others need first."""
        for step in (self._precision, self._groups, self._batch, self._steps, self._model, self._vocabulary):
            step()

    def _whole(self, name: str) -> int | None:
        return whole(self._known.get(name))

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
        if "precision" in self._known or not flags:
            return
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
        if nodes is None and processes and self._known["processes_per_node"].dialect is Dialect.LAUNCHER:
            # torchrun, msrun, deepspeed and accelerate start on one node if nothing else is said
            nodes = 1
        if nodes and processes:
            self._add("world_size", formulas.world_size(nodes, processes))
        world = self._whole("world_size")
        if world:
            cuts = [self._whole(f"{name}_parallel") or 1 for name in ("tensor", "pipeline", "context")]
            self._add("data_parallel", formulas.data_parallel(world, *cuts))

    def _batch(self) -> None:
        micro, replicas = self._whole("micro_batch"), self._whole("data_parallel")
        pipelined = self._whole("pipeline_micro_batches")
        if pipelined and (self._whole("pipeline_parallel") or 1) > 1:
            # MindFormers: a batch goes through the pipeline in so many parts, each a batch of its own
            times = self._whole("gradient_accumulation") or 1
            made = Worked(times * pipelined, f"{times} × {pipelined} = {times * pipelined}")
            self._known.pop("gradient_accumulation", None)
            self._add("gradient_accumulation", made)
        batch, accumulated = self._whole("global_batch"), self._whole("gradient_accumulation")
        if micro and replicas:
            if accumulated:
                self._add("global_batch", formulas.global_batch(micro, accumulated, replicas))
            elif batch:
                self._add("gradient_accumulation", formulas.accumulation(batch, micro, replicas))
            elif self._is_megatron():
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
            ("warmup_steps", "warmup_samples"),
        ):
            counted = self._whole(samples)
            if batch and counted and whole(self._known.get(steps)) is None:
                self._add(steps, formulas.steps_of_samples(counted, batch))
        if self._is_megatron():
            self._copied("decay_steps", "train_steps")
        fraction = number(self._known.get("warmup_fraction"))
        total = self._whole("decay_steps") or self._whole("train_steps")
        if fraction and 0 < fraction <= 1 and total and self._whole("warmup_steps") is None:
            rounded_up = self._known["warmup_fraction"].dialect is Dialect.HUGGING_FACE
            self._known.pop("warmup_steps", None)
            self._add("warmup_steps", formulas.warmup_of_fraction(fraction, total, rounded_up=rounded_up))
        waiting = fraction or self._whole("warmup_samples")
        if "warmup_steps" not in self._known and not waiting and self._frameworks:
            self._known["warmup_steps"] = default_of("warmup_steps", 0, min(self._frameworks))

    def _copied(self, name: str, source: str) -> None:
        known = self._known.get(source)
        if name not in self._known and known is not None:
            remark = Message("precheck.setting.copied", {"name": source})
            self._known[name] = known._replace(name=name, how=How.DERIVED, remark=remark)

    def _model(self) -> None:
        heads, hidden = self._whole("attention_heads"), self._whole("hidden_size")
        ungrouped = self._known.get("grouped_queries")
        if heads and ungrouped is not None and ungrouped.value is False:
            self._known.pop("kv_heads", None)  # Megatron-LM prints 1 there and does not use it
        if heads and "kv_heads" not in self._known and (ungrouped is not None or self._has_model()):
            self._copied("kv_heads", "attention_heads")
        if heads and hidden and "head_size" not in self._known and hidden % heads == 0:
            self._add("head_size", Worked(hidden // heads, f"{hidden} / {heads} = {hidden // heads}"))
        if self._is_megatron() and hidden and "ffn_hidden_size" not in self._known:
            gated = self._known.get("activation")
            is_swiglu = gated is not None and gated.value == "swiglu"
            self._add("ffn_hidden_size", formulas.feed_forward_width(hidden, gated=is_swiglu))

    def _has_model(self) -> bool:
        return any(known.dialect is Dialect.MODEL for known in self._known.values())

    def _vocabulary(self) -> None:
        words, divisor = self._whole("vocabulary"), self._whole("vocabulary_divisor")
        if words and divisor and "padded_vocabulary" not in self._known:
            tensor = self._whole("tensor_parallel") or 1
            self._add("padded_vocabulary", formulas.padded_vocabulary(words, divisor, tensor))
        shape = decoder_of(self._known, self._whole)
        if shape is not None and "parameters" not in self._known:
            self._add("parameters", formulas.parameters(shape))


def default_of(name: str, value: bool | int | float | str, dialect: Dialect) -> Known:
    """Return the value that a framework takes where nothing is said."""
    remark = Message("precheck.setting.default", {"framework": framework_name(dialect)})
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
