"""The style sheet, made from a scheme's colours; no colour is spelled here."""

from __future__ import annotations

from string import Template
from typing import Any

_SHEET = Template("""
QToolTip { background: $card; color: $text; border: 1px solid $line; padding: 5px 7px; }
QWidget#ground, QMainWindow#workspace { background: $ground; }
QMainWindow::separator { background: $ground; width: 10px; height: 10px; }
QSplitter::handle { background: transparent; }

QFrame#topBar { background: $card; border: none; border-bottom: 1px solid $line; }
QFrame#pageBar { background: $card; border: none; border-right: 1px solid $line; }
QStatusBar { background: $card; border-top: 1px solid $line; color: $dim; }
QStatusBar::item { border: none; }
QStatusBar QLabel { color: $dim; padding: 0 6px; }
QStatusBar QToolButton { color: $dim; border: none; background: transparent; padding: 3px 8px; border-radius: 6px; }
QStatusBar QToolButton:hover { background: $second; color: $text; }
QStatusBar QToolButton#problemsButton[some="true"] { color: $inherited; font-weight: 600; }

QFrame#plain { background: transparent; border: none; }
QFrame#card { background: $card; border: 1px solid $line; border-radius: 10px; }
QFrame#popup { background: $card; border: 1px solid $not_compared; border-radius: 8px; }
QFrame#palette { background: $card; border: 1px solid $not_compared; border-radius: 12px; }
QFrame#card[filtered="true"] { border-color: $accent; }
QFrame#cardHeader { background: transparent; border: none; border-bottom: 1px solid $line; }
QLabel#cardTitle { font-weight: 600; }
QLabel#dim, QLabel#cardSubtitle { color: $dim; }
QLabel#title { font-size: 16px; font-weight: 600; }
QLabel#hero { font-size: 26px; font-weight: 600; }
QLabel#lead { font-size: 14px; color: $dim; }
QLabel#strong { font-weight: 600; }
QLabel#error { color: $introduces; }
QFrame#panel { background: $second; border: 1px solid $line; border-radius: 8px; }
QLabel#chip { background: $second; color: $dim; border: 1px solid $line; border-radius: 10px; padding: 2px 9px; }
QLabel#small { color: $dim; font-size: 11px; }
QLabel#link { color: $accent; }
QLabel#badge { border: 1px solid $line; border-radius: 8px; padding: 1px 7px; font-size: 11px; color: $dim; }
QLabel#badge[basis="live"] { color: $equal; border-color: $equal; }
QLabel#badge[basis="documented"] { color: $equal; border-color: $equal; }
QLabel#badge[basis="inferred"] { color: $accent; border-color: $accent; }
QLabel#badge[basis="assumed"] { color: $inherited; border-color: $inherited; border-style: dashed; }
QLabel#badge[basis="given"] { color: $golden_invalid; border-color: $golden_invalid; }
QFrame#listRow { background: transparent; border: 1px solid transparent; border-radius: 7px; }
QFrame#listRow:hover { background: $hover; border-color: $line; }
QFrame#listRow:focus { border-color: $accent; }
QFrame#listRow[chosen="true"] { background: $selection; }
QFrame#quote { background: $second; border: none; border-top: 1px solid $line; border-left: 3px solid $inherited; border-bottom-right-radius: 9px; }
QFrame#quote:hover { background: $hover; }
QFrame#quote:focus { border-top-color: $accent; border-left-color: $accent; }
QFrame#strip { background: $card; border: 1px solid $line; border-radius: 10px; }
QFrame#strip:hover, QFrame#strip:focus { border-color: $accent; }
QFrame#rule { background: $line; max-height: 1px; min-height: 1px; border: none; }

QFrame#notice { background: $card; border: 1px solid $not_compared; border-left: 3px solid $inherited; border-radius: 8px; }
QFrame#notice[good="true"] { border-left-color: $equal; }
QFrame#dockHeader { background: $card; border: 1px solid $line; border-top-left-radius: 10px; border-top-right-radius: 10px; }
QFrame#dockBody { background: $card; border: 1px solid $line; border-top: none; border-bottom-left-radius: 10px; border-bottom-right-radius: 10px; }
QFrame#dropTarget { background: $card; border: 2px dashed $not_compared; border-radius: 14px; }

QPushButton { outline: 0; background: $second; color: $text; border: 1px solid $line; border-radius: 7px; padding: 5px 12px; }
QPushButton[compact="true"] { padding: 5px 9px; }
QPushButton:hover { border-color: $accent; }
QPushButton:pressed { background: $selection; }
QPushButton:disabled { color: $dim; border-color: $line; }
QPushButton:focus { border-color: $accent; }
QPushButton#primary { background: $accent; color: $on_accent; border: 1px solid $accent; font-weight: 600; }
QPushButton#primary:disabled { background: $second; color: $dim; border-color: $line; }
QPushButton#primary:focus { border: 1px solid $text; }

QToolButton { background: transparent; color: $text; border: 1px solid transparent; border-radius: 7px; padding: 4px 7px; }
QToolButton:hover { background: $second; }
QToolButton:focus { border-color: $accent; }
QToolButton:checked { background: $selection; }
QToolButton:disabled { color: $dim; }
QToolButton::menu-indicator { image: none; width: 0; }
QToolButton#link { color: $dim; padding: 2px 6px; }
QToolButton#link:hover { color: $text; }
QToolButton#toggle { border-color: $line; padding: 3px 9px; }
QToolButton#toggle:checked { border-color: $accent; }
QToolButton#segment { color: $dim; border: 1px solid $line; border-radius: 0; padding: 3px 10px; }
QToolButton#segment[side="left"] { border-top-left-radius: 7px; border-bottom-left-radius: 7px; border-right: none; }
QToolButton#segment[side="middle"] { border-right: none; }
QToolButton#segment[side="right"] { border-top-right-radius: 7px; border-bottom-right-radius: 7px; }
QToolButton#segment:checked { background: $selection; color: $text; font-weight: 600; }
QToolButton#segment:hover { color: $text; }
QToolButton#segment:focus { border: 1px solid $accent; }
QToolButton#small { color: $accent; padding: 0 5px; font-size: 11px; }
QToolButton#small:hover { background: $hover; }
QToolButton#elsewhere { color: $accent; padding: 2px 6px; }
QToolButton#elsewhere:disabled { color: $dim; }
QToolButton#elsewhere:hover { background: $hover; }
QToolButton#turn { color: $dim; padding: 0 0 2px 0; font-size: 17px; }
QToolButton#turn:hover { color: $text; }
QToolButton#turn:disabled { color: $line; }
QToolButton#pair { background: transparent; text-align: left; padding: 7px 2px; }

QLineEdit { background: $second; color: $text; border: 1px solid $line; border-radius: 8px; padding: 5px 9px;
            selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:focus { border-color: $accent; background: $card; }
QLineEdit[compact="true"] { padding: 2px 8px; }
QLineEdit[wrong="true"] { border-color: $introduces; }

QComboBox { background: $second; color: $text; border: 1px solid $line; border-radius: 8px; padding: 4px 8px; min-height: 20px; }
QComboBox[compact="true"] { padding: 2px 8px; min-height: 20px; border-radius: 7px; }
QComboBox:focus, QComboBox:hover { border-color: $accent; }
QComboBox:disabled { color: $dim; }
QComboBox::drop-down { border: none; width: 18px; }
QComboBox::down-arrow { image: url($chevron); width: 10px; height: 10px; }
QLabel#queryNote { background: $card; color: $introduces; border: 1px solid $line; border-radius: 8px; }
QListView#offers { background: $card; color: $text; border: 1px solid $line; border-radius: 8px; padding: 4px; }
QComboBox QAbstractItemView { background: $card; color: $text; border: 1px solid $line; outline: 0;
            selection-background-color: $selection; selection-color: $text; padding: 4px; }

QMenu { menu-scrollable: 1; background: $card; color: $text; border: 1px solid $line; border-radius: 8px; padding: 5px; }
QMenu::item { padding: 5px 26px 5px 24px; border-radius: 5px; }
QMenu::item:selected { background: $selection; }
QMenu::item:disabled { color: $dim; }
QMenu::separator { height: 1px; background: $line; margin: 5px 8px; }

QTabBar { background: transparent; }
QTabBar::tab { background: transparent; color: $dim; padding: 6px 14px; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:focus { color: $accent; }
QTabBar::scroller { width: 36px; }
QTabBar QToolButton { background: $card; border: none; border-radius: 0; padding: 0; }
QTabBar QToolButton:hover { background: $second; }

QTreeView, QTableView, QListView { background: transparent; border: none; outline: 0; color: $text;
            selection-background-color: $selection; selection-color: $text; }
QTreeView::item, QTableView::item { border: none; }
QTreeView::item:hover { background: $hover; }
QTreeView::item:selected, QTreeView::branch:selected { background: $selection; color: $text; }
QTreeView::branch:has-children:!has-siblings:closed, QTreeView::branch:closed:has-children:has-siblings { image: url($branch_closed); }
QTreeView::branch:open:has-children:!has-siblings, QTreeView::branch:open:has-children:has-siblings { image: url($branch_open); }
QTableView { gridline-color: $line; }
QTableView::item { border-bottom: 1px solid $line; padding: 0 8px; }
QTableView::item:selected { background: $selection; color: $text; }
QHeaderView { background: transparent; border: none; }
QHeaderView::section { background: $card; color: $dim; border: none; border-bottom: 1px solid $line; padding: 0 8px; height: 27px; }
QHeaderView::section:hover { color: $text; }
QHeaderView::up-arrow, QHeaderView::down-arrow { width: 0; height: 0; }
QTableCornerButton::section { background: $card; border: none; }

QAbstractScrollArea::corner { background: transparent; border: none; }
QPlainTextEdit, QTextEdit { background: $second; color: $text; border: 1px solid $line; border-radius: 8px; padding: 6px; }
QScrollArea { background: transparent; border: none; }
QScrollArea > QWidget > QWidget#page { background: transparent; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 1px; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 1px; }
QScrollBar::handle { background: $line; border-radius: 4px; }
QScrollBar::handle:vertical { min-height: 28px; }
QScrollBar::handle:horizontal { min-width: 28px; }
QScrollBar::handle:hover { background: $dim; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }

QSlider::groove:horizontal { background: $line; height: 4px; border-radius: 2px; }
QSlider::sub-page:horizontal { background: $accent; border-radius: 2px; }
QSlider::handle:horizontal { background: $card; border: 1px solid $not_compared; width: 12px; margin: -5px 0; border-radius: 7px; }
QSlider::handle:horizontal:hover, QSlider:focus::handle:horizontal { border-color: $accent; }

QProgressBar { background: $second; border: none; border-radius: 3px; min-height: 6px; max-height: 6px; }
QProgressBar::chunk { background: $accent; border-radius: 3px; }
QCheckBox { spacing: 7px; color: $text; }
QCheckBox::indicator { width: 14px; height: 14px; border: 1px solid $not_compared; border-radius: 4px; background: $card; }
QCheckBox::indicator:hover, QCheckBox:focus::indicator { border-color: $accent; }
QCheckBox::indicator:checked { background: $accent; border-color: $accent; image: url($checked); }
QRadioButton { spacing: 7px; color: $text; }
QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid $not_compared; border-radius: 8px; background: $card; }
QRadioButton::indicator:hover, QRadioButton:focus::indicator { border-color: $accent; }
QRadioButton::indicator:checked { width: 8px; height: 8px; border: 4px solid $accent; background: $on_accent; }
QAbstractSpinBox { background: $second; color: $text; border: 1px solid $line; border-radius: 6px; padding: 1px 6px;
            selection-background-color: $accent; selection-color: $on_accent; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; height: 0; border: none; }
QAbstractSpinBox QLineEdit { background: transparent; border: none; padding: 0; }
QAbstractSpinBox:focus { border-color: $accent; }
""")


def style_sheet(colours: Any, images: dict[str, str] | None = None) -> str:
    """Return the sheet for *colours* (:class:`gui.looks.theme.Colours`) and *images* by name."""
    values = {name: value for name, value in vars(colours).items() if isinstance(value, str)}
    return _SHEET.substitute(values, **(images or {}))
