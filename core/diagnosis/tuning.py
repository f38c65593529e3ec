"""The few numbers that the diagnosis hangs on, with what they rest on.

Measured over innocent pairs (fp32 against bf16 and fp16 autocast, weights rounded to fp16, fused against
small attention, another summation order) and planted faults, dumped by the official tool: an operator of
a training step that is right makes an error grow by less than 30, but for cancelling sums, which replay
acquits.
"""

from __future__ import annotations

AMPLIFICATION = 30.0
"""How much larger than the inputs' error an operator's output error may be and still follow from it."""

STATISTICS_AMPLIFICATION = 100.0
"""The same where only statistics are known: four numbers show less of the inputs' error than there is."""

UNRECORDED = 5.0
"""How much larger than any error before it that of a value may be which no dumped call has made, and still
follow from it: slices and other views that were not dumped make numbers stand out, not arithmetic."""

SUDDEN = 20.0
"""How much larger than any error before it an output error may be in a run whose values all carry noise.

Four statistics show less of an input's error than there is, but the largest error so far tells how noisy the
run is. Over 216 innocent pairs of random networks an operator that is right surpassed it by 11.5 at most
(``rsqrt`` backward); planted faults surpass it by 14 to 10^7.
"""

ROUNDED_INPUT = 4.0
"""Unit roundoffs of a format that one side's input was rounded to which an output may differ by: a lookup
takes elements that the rounding hit by up to one, while extremes may show less."""

CONTEXT_ROUNDOFFS = 0.5
"""Error, in unit roundoffs of the coarsest format used so far, that statistics may fail to show."""
