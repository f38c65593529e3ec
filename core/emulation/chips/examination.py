"""Whether the arithmetic of a chip explains a dumped output.

Each element is held against an **envelope**: the range of what the chip's settings give that nobody has
published or that a library may choose (:mod:`core.emulation.chips.variants`), one ULP wider. What lies
outside is held against the **bound**: the running error bound of the float64 reference, which is γₙ|A||B|
for matrix products (Blanchard, Higham, Lopez, Mary and Pranesh 2020), with operands rounded as the profile
says, or not rounded: a result more exact than the chip's is no fault. All elements of a product together
are held against the settings tried. What fails, no setting explains.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from math import inf, nan

import numpy as np

from core.dtypes import DType, Kind
from core.emulation.arithmetic.rounding import Conversion, Overflow, convert
from core.emulation.arithmetic.status import ConvertingUnit, StatusBit, status_of_conversion
from core.emulation.chips.chip import (
    ChipComputing,
    Choice,
    Used,
    control_computing,
    delivered,
    engine_block,
    operand_conversion,
    output_conversion,
    usual_choice,
)
from core.emulation.chips.distances import distance_between, measure_distance
from core.emulation.chips.envelope import OutputEnvelope
from core.emulation.chips.profile import Profile
from core.emulation.chips.references import distance_from_reference
from core.emulation.chips.together import together
from core.emulation.chips.variants import MOST_FOR_SUSPECT, adders_for_suspects, described, variants
from core.emulation.operators.table import Matrix
from core.emulation.replay.runnable import Runnable
from core.emulation.terms.allowance import fit
from core.emulation.terms.arguments import Tensor
from core.emulation.terms.bounded import Bounded
from core.emulation.terms.call import tensors_in
from core.emulation.terms.computing import Array, Computing, computing_in
from core.emulation.terms.formats import FLOAT32, is_float
from core.emulation.terms.outcome import NotReplayable, NotReplayed
from core.records.emulation import EmulationVerdict, SlotEmulation, SlotStandard, WorstElement


class ReferenceComputing(Computing):
    """Float64 with error bounds, on operands rounded as the matrix unit of a profile rounds them."""

    def __init__(
        self, conversion: Conversion | None = None, *, block: int = 0, chained: bool = False
    ) -> None:
        self._conversion = conversion
        self._block = block
        self._chained = chained
        self.sizes: Array | None = None
        """|A||B| of the last product; the cancellation is that over the size of the result."""

    def product_operand(self, values: Array) -> Array:
        """Return operands as the matrix unit gets them."""
        wide = super().product_operand(values)
        return wide if self._conversion is None else convert(wide, self._conversion)

    def operand_roundings(self) -> float:
        """Return the roundings of operands of products of products, which a kernel may place elsewhere."""
        if self._conversion is None or not self._chained:
            return 0.0
        return self._conversion.format.unit_roundoff / FLOAT32.unit_roundoff

    def product_growth(self, terms: int, random: float) -> float:
        """Return the growth, of an adder that truncates after every *block* products if that is given."""
        linear = terms / self._block if self._block else 0.0
        return max(super().product_growth(terms, random), linear)

    def observe_product(self, sizes: Array, value: Array) -> None:
        """Keep |A||B| of the product."""
        self.sizes = sizes


MOST_EXCESS, MOST_EXCESS_NARROW = 16.0, 4.0
"""The error of a whole matrix product over that of the setting that strays most, from which it is outside.

Elements may each lie within a bound that must hold for any order of summation; all together they do not
err so much more than every order tried. Measured on a CPU: sums in sequence 2 times, attention and its
gradients at most 6.2 times in float32; 1.5 times in 16-bit formats, where the rounding of the output rules.
"""
_FEWEST_FOR_NORMS = 64
_NEARLY_ALL = 0.8

JudgeBy = Callable[[Tensor, Array, Array], SlotStandard]
"""Judges an output beside its float64 reference and its control on a CPU, both of its shape."""


def examine(
    runnable: Runnable,
    profile: Profile,
    names: Sequence[str],
    *,
    thorough: bool = False,
    judge_by: JudgeBy | None = None,
    sizes: Array | None = None,
) -> list[SlotEmulation]:
    """Hold the outputs of a call against its arithmetic on a chip.

    Parameters
    ----------
    runnable
        The call, with the inputs that the dump has.
    profile
        The chip.
    names
        How its results are called in the dump, one each.
    thorough
        Try every setting, and so find the closest of all, also after the envelope holds every element.
    judge_by
        Another judgement to give beside.
    sizes
        |A||B| of the last matrix product of the reference, as :class:`ReferenceComputing` keeps it.

    Raises
    ------
    NotReplayable
        UNSUPPORTED_DTYPE, or what the references find.
    """
    return _Examination(runnable, profile, thorough, judge_by, sizes).run(names)


class _Examination:
    def __init__(
        self,
        runnable: Runnable,
        profile: Profile,
        thorough: bool,
        judge_by: JudgeBy | None,
        sizes: Array | None,
    ) -> None:
        self.runnable = runnable
        self.judge_by = judge_by
        self.sizes = sizes
        self.thorough = thorough
        self.profile = profile
        self.used = Used()
        self.bounds: list[tuple[Array, Array]] = []
        """Error over the bound, by both references, of each result."""
        self.allowed: list[tuple[Array, Array]] = []
        """What the bounds of the rounded reference and of the plain one allow."""
        self.operator = runnable.operator
        self.storage = runnable.call.storage
        # No arithmetic of a chip is published for float64 and complex numbers: an exact one stands for it.
        self.wide = self.storage.precision > FLOAT32.precision or self.storage.kind is Kind.COMPLEX
        narrow = self.storage.precision < FLOAT32.precision
        if narrow and self.storage.name not in profile["operand_formats"]:
            raise NotReplayable(NotReplayed.UNSUPPORTED_DTYPE, self.storage.name)

    def run(self, names: Sequence[str]) -> list[SlotEmulation]:
        reference = [
            value.reshape(*result.dumped.shape)
            for value, result in zip(self.runnable.reference, self.runnable.results)
        ]
        rounded = self._rounded_reference(reference)
        self._measure_bounds(reference, rounded)
        with np.errstate(all="ignore"):
            control = self._delivered(self._made_in(control_computing(self.storage)), ieee=True)
            slots = self._envelope(reference, rounded, control)
            each = zip(slots, names, reference, control)
            return [self._conclude(place, *items) for place, items in enumerate(each)]

    # ---- arithmetic

    def _made_in(self, arithmetic: Computing) -> list[Bounded]:
        with computing_in(arithmetic), np.errstate(all="ignore"):
            return self.runnable.outputs()

    def _rounded_reference(self, plain: list[Bounded]) -> list[Bounded]:
        """Return the reference on operands as the matrix unit gets them, the same list if it rounds none.

        Operands of 16 bits are in their format already.
        """
        if self.operator.matrix is None or self.storage.precision != FLOAT32.precision or self.wide:
            return plain
        conversion = operand_conversion(self.profile, self.operator.matrix, self.storage)
        if conversion.format is FLOAT32:
            return plain
        chained = self.operator.matrix is Matrix.CHAIN
        return self._made_in(ReferenceComputing(conversion, chained=chained))

    def _delivered(self, made: list[Bounded], ieee: bool = False) -> list[Array]:
        found = []
        for result, value in zip(self.runnable.results, made):
            passed, dumped = result.format, result.dumped.dtype
            if not is_float(dumped):
                found.append(value.value)
                continue
            conversion = (
                Conversion(passed) if ieee else output_conversion(self.profile, self.operator, passed)
            )
            found.append(delivered(value.value, conversion, dumped))
        return found

    # ---- envelope

    def _envelope(
        self, reference: list[Bounded], rounded: list[Bounded], control: list[Array]
    ) -> list[OutputEnvelope]:
        usual = usual_choice(self.profile)
        chip = self._chip(usual, watched=True)
        made = self._made_in(chip)
        slots = []
        for place, (result, first) in enumerate(zip(self.runnable.results, self._delivered(made))):
            allowed, allowed_plain = self.allowed[place]
            near = together(rounded[place], allowed, self.sizes, result.format)
            plain = together(reference[place], allowed_plain, self.sizes, result.format)
            if is_float(result.dumped.dtype):
                plain.take(control[place])
            slots.append(OutputEnvelope(result, result.dumped.array, first, first, first, near, plain))
        raised = chip.used.status if isinstance(chip, ChipComputing) else StatusBit.NONE
        for slot, value in zip(slots, made):
            slot.status = raised | self._status(slot, value.value)
            slot.take(slot.first, described(usual, usual), truncates=usual.truncates)
        if isinstance(chip, ChipComputing):
            self.used = chip.used
            self._try(slots, variants(self.profile, chip.used, self.thorough), usual, self._all_inside)
            if self.operator.matrix is not None and not self._explained(slots):
                adders = adders_for_suspects(self.profile, chip.used)
                self._try(slots, adders, usual, self._explained)
        return slots

    def _try(
        self,
        slots: list[OutputEnvelope],
        choices: Iterable[Choice],
        usual: Choice,
        enough: Callable[[list[OutputEnvelope]], bool],
    ) -> None:
        """Widen the envelopes setting by setting until it is *enough*."""
        for choice in choices:
            if enough(slots):
                return
            for slot, given in zip(slots, self._delivered(self._made_in(self._chip(choice)))):
                slot.take(given, described(choice, usual), truncates=choice.truncates)

    def _all_inside(self, slots: list[OutputEnvelope]) -> bool:
        return not self.thorough and all(slot.inside().all() for slot in slots)

    def _explained(self, slots: list[OutputEnvelope]) -> bool:
        """Whether each element is in its envelope or bound, and all together err no more than settings do."""
        return all(
            bool((slot.inside() | (np.minimum(*bounds) <= 1.0)).all())
            and not self._errs_too_much(slot, self._excess(slot))
            for slot, bounds in zip(slots, self.bounds)
        )

    def _errs_too_much(self, slot: OutputEnvelope, excess: float) -> bool:
        narrow = slot.result.format.precision < FLOAT32.precision
        return excess > (MOST_EXCESS_NARROW if narrow else MOST_EXCESS)

    def _excess(self, slot: OutputEnvelope) -> float:
        """Return the norm of the target's error over that of the setting that strays most."""
        # How gradients of a composite cancel depends on which of its intermediates a kernel keeps.
        cancelling = self.runnable.gradients is not None and self.used.composite
        # Where operands of products of products are rounded, and how often, is a kernel's choice too.
        chained = self.operator.matrix is Matrix.CHAIN and slot.chip.reference is not slot.plain.reference
        floats = is_float(slot.result.dumped.dtype)
        judged = self.operator.matrix is not None and floats and not cancelling and not chained
        if not judged or slot.dumped.size < _FEWEST_FOR_NORMS:
            return nan
        return slot.excess()

    def _chip(self, choice: Choice, watched: bool = False) -> Computing:
        if self.wide:
            return control_computing(self.storage)
        return ChipComputing(self.profile, choice, self.operator.matrix, self.storage, watched=watched)

    def _status(self, slot: OutputEnvelope, made: Array) -> StatusBit:
        """Return what the unit that delivers an output would raise."""
        if made.dtype.kind != "f" or slot.first.dtype.kind != "f":
            return StatusBit.NONE
        unit = ConvertingUnit.VECTOR if self.operator.matrix is None else ConvertingUnit.OUTPUT
        conversion = output_conversion(self.profile, self.operator, slot.result.format)
        return status_of_conversion(made, slot.first, conversion, unit)

    # ---- conclusion

    def _conclude(
        self, place: int, slot: OutputEnvelope, name: str, plain: Bounded, control: Array
    ) -> SlotEmulation:
        dumped = slot.result.dumped
        if not is_float(dumped.dtype):
            return _whole_numbers(slot, name, plain, self._whole_shape(dumped.shape))
        inside = slot.inside()
        exact_ratio, chip_ratio = self.bounds[place]
        excess = self._excess(slot)
        explained = inside | (np.minimum(exact_ratio, chip_ratio) <= 1.0)
        together = not self._errs_too_much(slot, excess)
        if not (explained.all() and together) and self._may_truncate(slot):
            exact_ratio, chip_ratio = self._truncating(place)
            explained, excess, together = inside | (chip_ratio <= 1.0), nan, True
        ratio = np.minimum(exact_ratio, chip_ratio)
        verdict = EmulationVerdict.OUTSIDE
        if inside.all():
            verdict = EmulationVerdict.INSIDE_ENVELOPE
        elif explained.all() and together:
            verdict = EmulationVerdict.INSIDE_BOUND
        dtype = slot.result.format
        exact = plain.value
        to_profile, histogram = measure_distance(slot.dumped, slot.first, dtype)
        return SlotEmulation(
            name,
            dumped.dtype.name,
            self._whole_shape(dumped.shape),
            verdict,
            dumped.array.size,
            int(np.count_nonzero(inside)),
            int(np.count_nonzero(explained & ~inside)),
            int(np.count_nonzero((chip_ratio > 1.0) & (exact_ratio <= 1.0) & ~inside)),
            target={
                "reference": distance_from_reference(slot.dumped, exact, slot.result),
                "profile": to_profile,
                "control": distance_between(slot.dumped, control, dtype),
            },
            histogram=histogram,
            cancellation=_cancellation(self.sizes, exact),
            excess=excess,
            special=int(np.count_nonzero(~np.isfinite(slot.dumped))),
            closest=slot.closest[1],
            closest_equal=slot.closest[0],
            worst=self._worst(slot, inside, ratio, exact, control),
            standard=self.judge_by(dumped, exact, control) if self.judge_by is not None else None,
            status=tuple(bit.name.lower() for bit in StatusBit if bit in slot.status and bit.name),
        )

    def _measure_bounds(self, reference: list[Bounded], rounded: list[Bounded]) -> None:
        """Hold each result against the bounds of both references; whole numbers have none."""
        for result, plain, near in zip(self.runnable.results, reference, rounded):
            if not is_float(result.dumped.dtype):
                nothing = np.zeros(result.dumped.shape)
                self.bounds.append((nothing, nothing))
                self.allowed.append((nothing, nothing))
                continue
            mode = self._mode(result.format)
            chip = fit(result.dumped, near, result.format, mode)
            exact = chip if near is plain else fit(result.dumped, plain, result.format, mode)
            self.bounds.append((exact.ratio, chip.ratio))
            self.allowed.append((chip.allowed, exact.allowed))

    def _may_truncate(self, slot: OutputEnvelope) -> bool:
        """Whether an adder that truncates may have made it, though trying one would take too long.

        Its errors go toward zero, nearly all of them.
        """
        if self.operator.matrix is None or self.used.multiply_adds <= MOST_FOR_SUSPECT:
            return False
        return slot.leans(_NEARLY_ALL)

    def _truncating(self, place: int) -> tuple[Array, Array]:
        """Return the error over the bound of an adder that truncates, whose errors do not cancel."""
        conversion = operand_conversion(self.profile, self.operator.matrix, self.storage)
        block = engine_block(self.profile, conversion.format)
        reference = self._made_in(ReferenceComputing(conversion, block=block))[place]
        result = self.runnable.results[place]
        ratio = fit(result.dumped, reference, result.format, self._mode(result.format)).ratio
        return ratio, ratio

    def _whole_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        sample = self.runnable.sample
        return shape if sample is None else sample.whole_shape(shape)

    def _index(self, at: int, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the index in the whole output of flat element *at* of what was looked at."""
        index = tuple(int(part) for part in np.unravel_index(at, shape))
        sample = self.runnable.sample
        return index if sample is None else sample.whole_index(index)

    def _mode(self, dtype: DType) -> Overflow | None:
        """Return how results of *dtype* overflow; either way may be where Inf or NaN comes in.

        A chip that saturates cannot have made them: that is said of the call where they are born, once.
        """
        if not self._takes_finite:
            return None
        return Overflow(self.profile["overflow"]) if dtype.precision < FLOAT32.precision else Overflow.INF_NAN

    @cached_property
    def _takes_finite(self) -> bool:
        arriving = [item for item in self.runnable.gradients or () if item is not None]
        taken = [*tensors_in(self.runnable.call.arguments), *arriving]
        return all(np.isfinite(item.array).all() for item in taken if is_float(item.dtype))

    def _worst(
        self, slot: OutputEnvelope, inside: Array, ratio: Array, exact: Array, control: Array
    ) -> WorstElement | None:
        if not ratio.size or slot.dumped.dtype.kind == "c":
            return None
        score = np.where(inside, -1.0, ratio)
        at = int(np.argmax(score))
        if score.flat[at] < 0:
            with np.errstate(all="ignore"):
                off = np.abs(slot.dumped - slot.first)
            at = int(np.argmax(np.nan_to_num(off, nan=inf)))
        target, value = (float(array.flat[at]) for array in (slot.dumped, exact))
        distance = abs(target - value)
        allowed = distance / float(ratio.flat[at]) if 0 < ratio.flat[at] < inf else nan
        return WorstElement(
            self._index(at, slot.dumped.shape),
            target,
            value,
            float(slot.first.flat[at]),
            float(control.flat[at]),
            float(slot.low.flat[at]),
            float(slot.high.flat[at]),
            allowed,
        )


def _whole_numbers(
    slot: OutputEnvelope, name: str, reference: Bounded, shape: tuple[int, ...]
) -> SlotEmulation:
    """Integers and truth values are exact, except where the reference says that they are not defined.

    A chip's quirk may give others.
    """
    dumped = slot.result.dumped
    equal = (dumped.array == reference.value) | (dumped.array == slot.first)
    if not reference.exact:
        equal = equal | (np.asarray(reference.error) != 0.0)
    inside = int(np.count_nonzero(equal))
    whole = inside == dumped.array.size
    verdict = EmulationVerdict.INSIDE_ENVELOPE if whole else EmulationVerdict.OUTSIDE
    return SlotEmulation(name, dumped.dtype.name, shape, verdict, dumped.array.size, inside)


def _cancellation(sizes: Array | None, value: Array) -> tuple[float, float]:
    if sizes is None or sizes.size != value.size or not value.size:
        return (nan, nan)
    with np.errstate(all="ignore"):
        ratio = sizes.reshape(-1) / np.abs(value.reshape(-1))
    ratio = ratio[~np.isnan(ratio)]
    return (float(np.median(ratio)), float(np.max(ratio))) if ratio.size else (nan, nan)
