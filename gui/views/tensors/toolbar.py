"""What is shown, in one line: axes, kind of difference, colours, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QMenu, QSizePolicy, QToolButton, QWidget

from core.messages import text
from core.metrics.pictures.kinds import Difference, Part
from core.metrics.pictures.plane import Plane, Shape
from gui.looks.icons import icon
from gui.looks.theme import Theme
from gui.tensors.looks import HeatLooks
from gui.tensors.scales import Extent, Scale
from gui.views.tensors.axes_bar import AxesBar, Brevity
from gui.views.tensors.looks_panel import LooksPanel
from gui.views.tensors.pattern_strip import PatternStrip
from gui.widgets.translated import Translated

_HEIGHT, _GAP = 26, 6
_SENTENCE = 200
"""Pixels from which a pattern is told in a sentence."""


class ToolBar(Translated, QWidget):
    """The axes at the left, the rest at the right, or on the next line where it is narrow."""

    fit_wanted = Signal()
    worst_wanted = Signal()
    lock_wanted = Signal(bool)

    def __init__(self, theme: Theme, looks: HeatLooks) -> None:
        super().__init__()
        self._theme, self._looks = theme, looks
        self.axes = AxesBar()
        self.kind, self.part = QComboBox(), QComboBox()
        for box, kinds in ((self.kind, Difference), (self.part, Part)):
            for member in kinds:
                box.addItem("", member)
            box.setProperty("compact", True)
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.colours, self.lock, self.worst, self.fit, self.more = (QToolButton() for _ in range(5))
        self.panel = LooksPanel(self.colours, looks)
        self.colours.setObjectName("toggle")
        self.lock.setCheckable(True)
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        for button in (self.lock, self.worst, self.fit, self.more):
            button.setIconSize(QSize(16, 16))
            button.setFixedSize(28, _HEIGHT)
        for widget in (self.kind, self.part, self.colours):
            widget.setFixedHeight(_HEIGHT)
        self._right = QWidget()
        right = QHBoxLayout(self._right)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(_GAP)
        for widget in (
            self.kind,
            self.part,
            self.colours,
            self.lock,
            self.worst,
            self.fit,
            self.more,
        ):
            right.addWidget(widget)
        self._strip: PatternStrip | None = None
        self._rest = QHBoxLayout()
        self._rest.setSpacing(_GAP)
        self._rest.addStretch(1)
        self._rest.addWidget(self._right, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(_GAP)
        self._line.addWidget(self.axes)
        self._line.addLayout(self._rest, 1)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.kind.activated.connect(lambda _: looks.set_difference(Difference(self.kind.currentData())))
        self.part.activated.connect(lambda _: looks.set_part(Part(self.part.currentData())))
        self.worst.clicked.connect(self.worst_wanted)
        self.fit.clicked.connect(self.fit_wanted)
        self.lock.clicked.connect(self.lock_wanted)
        looks.changed.connect(self.show_looks)
        looks.question_changed.connect(self.show_looks)
        theme.changed.connect(self._restyle)
        self._restyle()
        self.retranslate()

    def set_menu(self, menu: QMenu) -> None:
        """Open *menu* by the button at the right end."""
        self.more.setMenu(menu)

    def take_strip(self, strip: PatternStrip | None) -> None:
        """Tell patterns in the free room; ``None``: they are told elsewhere."""
        if strip is not None and self._strip is None:
            self._rest.insertWidget(0, strip)
            self.setTabOrder(self.axes.last, strip)
            self.setTabOrder(strip.more, self.kind)
        self._strip = strip
        self._place()

    def show_plane(self, shape: Shape, plane: Plane, own: bool) -> None:
        """Show how a tensor of *shape* is laid out; *own*: by the user's choice."""
        self.axes.show_plane(shape, plane, own)
        self._place()

    def offer(self, pair: bool, number: bool, complex_numbers: bool) -> None:
        """Offer what makes sense: of a *pair* kinds of difference, of a single *number* no colours."""
        for widget in (self.kind, self.worst):
            widget.setVisible(pair and not number)
        for widget in (self.colours, self.lock, self.fit):
            widget.setVisible(not number)
        self.part.setVisible(complex_numbers and not number)
        self._place()

    def show_looks(self) -> None:
        """Say how the pictures look."""
        looks = self._looks
        for box, member in ((self.kind, looks.difference), (self.part, looks.part)):
            with QSignalBlocker(box):
                box.setCurrentIndex(box.findData(member))
        self.lock.setChecked(looks.locked)
        words = [text("gui.heat.colours")]
        if looks.extent is not Extent.ALL:
            words.append(text(f"gui.heat.extent.{looks.extent.value}"))
        if looks.scale is not Scale.LINEAR:
            words.append(text(f"gui.heat.scale.{looks.scale.value}"))
        self.colours.setText(" · ".join(words))
        self._place()

    def minimumSizeHint(self) -> QSize:
        return QSize(self._right.minimumSizeHint().width(), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """Stand on one line if leaving something out of the axes allows it: the pictures need the height."""
        choosers, wide = self._right.sizeHint().width(), self.width()
        widths = {brevity: self.axes.wanted_width(brevity) for brevity in Brevity}
        word = self._strip.chip_width() + _GAP if self._strip is not None else 0
        rooms = wide - choosers - word - _GAP, wide
        fitting = ((room, brevity) for room in rooms for brevity in Brevity if widths[brevity] <= room)
        room, brevity = next(fitting, (wide, Brevity.AXES))
        one_line = room < wide
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        self._line.setDirection(across if one_line else down)
        taken = widths[brevity] if one_line else wide
        self.axes.set_room(taken, brevity)
        if self._strip is not None:
            self._strip.set_width(wide - choosers - 2 * _GAP - (taken if one_line else 0), _SENTENCE)

    def _restyle(self) -> None:
        dim = self._theme.colours.dim
        for button, name in (
            (self.lock, "lock"), (self.worst, "jump"), (self.fit, "fit"), (self.more, "more"),
        ):  # fmt: skip
            button.setIcon(icon(name, dim))

    def retranslate(self) -> None:
        for box, kinds, code in (
            (self.kind, Difference, "gui.heat.kind"), (self.part, Part, "gui.heat.part"),
        ):  # fmt: skip
            for at, member in enumerate(kinds):
                name = "kind" if kinds is Difference else "part"
                box.setItemText(at, text(f"gui.heat.{name}.{member.value}"))
                if kinds is Difference:
                    tip = text(f"gui.heat.kind.{member.value}.help")
                    box.setItemData(at, tip, Qt.ItemDataRole.ToolTipRole)
            box.setAccessibleName(text(code))
            box.setToolTip(text(code))
        self.colours.setToolTip(text("gui.heat.colours.help"))
        for button, code in (
            (self.lock, "gui.heat.lock"), (self.worst, "gui.tensors.worst"), (self.fit, "gui.heat.fit"),
            (self.more, "gui.heat.more"),
        ):  # fmt: skip
            button.setAccessibleName(text(code))
        self.lock.setToolTip(text("gui.heat.lock.help"))
        self.worst.setToolTip(text("gui.heat.worst.help"))
        self.fit.setToolTip(text("gui.heat.fit"))
        self.more.setToolTip(text("gui.heat.more"))
        self.show_looks()
