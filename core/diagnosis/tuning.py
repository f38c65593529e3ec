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

CONTEXT_ROUNDOFFS = 1.0
"""Error, in unit roundoffs of the coarsest format used so far, that statistics may fail to show."""

LAST_BITS = 8.0
"""Unit roundoffs by which a call may be wrong on its own inputs without being accused. Over 15 kinds of
operators every innocent call stayed below 8, every planted fault was beyond 3 000."""
