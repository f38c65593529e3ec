"""Colours by role, light and dark, and the fonts; the one place where a colour is spelled."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from gui.looks.icons import icon_path
from gui.looks.stylesheet import style_sheet
from gui.models.pair.categories import Category

MODES = ("system", "light", "dark")


@dataclass(frozen=True)
class Colours:
    """One scheme, as #rrggbb."""

    dark: bool
    ground: str
    card: str
    second: str
    line: str
    text: str
    dim: str
    accent: str
    on_accent: str
    selection: str
    """Behind selected rows."""
    hover: str
    band: str
    """Expected noise in the trajectory."""
    introduces: str
    inherited: str
    close: str
    equal: str
    not_compared: str
    golden_invalid: str
    nan: str
    plus_infinity: str
    minus_infinity: str
    target: str
    """The target's curves."""
    golden: str
    others: tuple[str, ...]
    """Curves of further runs; apart for the colour-blind too, and dashes help."""

    def of(self, category: int) -> str:
        """Return the colour of a :class:`Category`."""
        return {
            Category.INTRODUCED: self.introduces,
            Category.DIFFERS: self.introduces,
            Category.INHERITED: self.inherited,
            Category.GOLDEN_INVALID: self.golden_invalid,
            Category.NOT_COMPARED: self.not_compared,
            Category.CLOSE: self.close,
            Category.EQUAL: self.equal,
            Category.IGNORED: self.dim,
        }[Category(category)]


LIGHT = Colours(
    dark=False,
    ground="#f5f6f8", card="#ffffff", second="#f0f2f5", line="#dfe3e8", text="#1b1f27", dim="#667085",
    accent="#1f6feb", on_accent="#ffffff", selection="#e1edfc", hover="#f5f8fd", band="#e7effc",
    introduces="#d1372f", inherited="#c8741a", close="#57a97f", equal="#2e8b63", not_compared="#8b93a1",
    golden_invalid="#7a4fd0", nan="#e0218a", plus_infinity="#ff7f0e", minus_infinity="#00a3c4",
    target="#1f6feb", golden="#8a6400",
    others=("#009e73", "#b5478f", "#5b5fc7", "#0f93b5", "#a3541c", "#6b7684", "#3f7d20", "#8e3b46"),
)  # fmt: skip
DARK = Colours(
    dark=True,
    ground="#16181d", card="#1c1f26", second="#22262e", line="#2d323c", text="#e6e8ec", dim="#98a0ad",
    accent="#5aa2ff", on_accent="#0d1420", selection="#28374f", hover="#222732", band="#1f2b40",
    introduces="#f0645c", inherited="#f2a65a", close="#6fbf8f", equal="#3fa37a", not_compared="#8a91a0",
    golden_invalid="#b98bf0", nan="#ff4fb0", plus_infinity="#ffb020", minus_infinity="#30d5f5",
    target="#5aa2ff", golden="#e3b341",
    others=("#2fc79a", "#e283c0", "#9a9cf5", "#4fc3e0", "#e0915a", "#a3adba", "#8ac66b", "#e08a94"),
)  # fmt: skip

_SHEET_IMAGES = {
    name: icon_path(icon)
    for name, icon in (
        ("chevron", "chevron-down"),
        ("branch_open", "branch-open"),
        ("branch_closed", "branch-closed"),
        ("checked", "checked"),
    )
}

_TEXT_FAMILIES = ("Inter", "Segoe UI", "SF Pro Text", "Noto Sans", "Noto Sans CJK SC", "Microsoft YaHei UI")
_FIXED_FAMILIES = ("JetBrains Mono", "Cascadia Mono", "SF Mono", "Menlo", "Consolas", "DejaVu Sans Mono")


class Theme(QObject):
    """The scheme in force; follows the system unless told otherwise."""

    changed = Signal()

    def __init__(self, application: QApplication) -> None:
        super().__init__(application)
        self._application = application
        self.mode = "system"
        self._worn: Colours | None = None
        application.setStyle("Fusion")
        self._choose_fonts()
        application.styleHints().colorSchemeChanged.connect(self._follow)
        self._apply()

    def set_mode(self, mode: str) -> None:
        """Choose ``system``, ``light`` or ``dark``."""
        self.mode = mode
        schemes = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}
        self._application.styleHints().setColorScheme(schemes.get(mode, Qt.ColorScheme.Unknown))
        self._apply()

    @property
    def colours(self) -> Colours:
        """The scheme to draw with now."""
        if self.mode in ("light", "dark"):
            return DARK if self.mode == "dark" else LIGHT
        dark = self._application.styleHints().colorScheme() == Qt.ColorScheme.Dark
        return DARK if dark else LIGHT

    def colour(self, role: str) -> QColor:
        """Return the colour of *role*, a field of :class:`Colours`."""
        return QColor(getattr(self.colours, role))

    def _follow(self, _scheme: Qt.ColorScheme) -> None:
        if self.mode == "system":
            self._apply()

    def _choose_fonts(self) -> None:
        installed = set(QFontDatabase.families())
        system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
        chosen = [family for family in _TEXT_FAMILIES if family in installed]
        # the system's own face first where it is a real choice; DejaVu is only what is left without one
        if not system.family().startswith(("DejaVu", "Sans", "Helvetica")) and system.family() in installed:
            chosen.insert(0, system.family())
        font = QFont(system)
        if chosen:
            font.setFamilies(chosen)
        font.setPixelSize(13)
        if hasattr(font, "setFeature"):
            font.setFeature(QFont.Tag("tnum"), 1)
        self._application.setFont(font)
        fixed = [family for family in _FIXED_FAMILIES if family in installed]
        general = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
        self._fixed = [*fixed, general] if general else fixed

    def fixed_font(self, pixels: int = 12) -> QFont:
        """Return the monospaced font for names and code."""
        font = QFont(self._application.font())
        font.setFamilies([*self._fixed, *self._application.font().families()])
        font.setPixelSize(pixels)
        return font

    def _apply(self) -> None:
        colours = self.colours
        palette = QPalette()
        roles = QPalette.ColorRole
        for role, colour in (
            (roles.Window, colours.ground), (roles.WindowText, colours.text), (roles.Base, colours.card),
            (roles.AlternateBase, colours.second), (roles.Text, colours.text), (roles.Button, colours.second),
            (roles.ButtonText, colours.text), (roles.Highlight, colours.selection),
            (roles.HighlightedText, colours.text), (roles.PlaceholderText, colours.dim),
            (roles.ToolTipBase, colours.card), (roles.ToolTipText, colours.text),
            (roles.Link, colours.accent),
            (roles.Mid, colours.line), (roles.Midlight, colours.line), (roles.Dark, colours.line),
            (roles.Light, colours.second), (roles.Shadow, colours.line),
            (roles.BrightText, colours.introduces),
        ):  # fmt: skip
            palette.setColor(role, QColor(colour))
        for role in (roles.Text, roles.WindowText, roles.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colours.dim))
        if hasattr(roles, "Accent"):
            palette.setColor(roles.Accent, QColor(colours.accent))
        self._application.setPalette(palette)
        if colours is not self._worn:
            self._worn = colours
            self._wear(style_sheet(colours, _SHEET_IMAGES))
            self.changed.emit()

    def _wear(self, sheet: str) -> None:
        """Give all widgets the style *sheet*.

        Where one sheet follows another Qt polishes each widget once for itself and once for every widget
        that it lies in; where none was before, once.
        """
        self._application.setStyleSheet("")
        self._application.setStyleSheet(sheet)
        # told only once that the style is another one, these lay themselves out before they know their frame
        told = QEvent(QEvent.Type.StyleChange)
        for window in self._application.topLevelWidgets():
            if window.parent() is None:
                for area in window.findChildren(QAbstractScrollArea):
                    QApplication.sendEvent(area, told)
