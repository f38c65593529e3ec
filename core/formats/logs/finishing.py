"""What only a log as a whole can tell: steps over epochs, and which value is the loss."""

from __future__ import annotations

from core.formats.logs.columns import Collected
from core.formats.logs.epochs import steps_over_epochs
from core.formats.logs.names import EVALUATED, only_loss
from core.records.series import Series


def finished(said: Collected) -> Collected:
    """Return the records that lines *said*, put right by all of them."""
    called = with_loss(said)
    return called._replace(step=steps_over_epochs(called))


def with_loss(said: Collected) -> Collected:
    """Return *said* with its loss called so, where no value is and only one can be meant."""
    if Series.LOSS in said.columns:
        return said
    name = EVALUATED if EVALUATED in said.columns else only_loss(said.columns)
    if name is None:
        return said
    return said._replace(
        columns={str(Series.LOSS) if own == name else own: column for own, column in said.columns.items()}
    )
