"""What the window remembers, in an INI file; a broken or foreign file gives the defaults."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from PySide6.QtCore import QByteArray, QSettings

RECENT_LIMIT = 10


@dataclass
class Settings:
    """One value a fact; texts and JSON only, so that an INI file can hold them."""

    theme: str = "system"
    language: str = ""
    """Empty follows the system."""
    tree_arrangement: str = "module"
    """Or by ``execution``, or by ``type`` of operator."""
    tree_number: str = "differing"
    """What stands at the right of a node: this, or its worst ``error`` or ``cosine``."""
    column_set: str = ""
    """A word of :class:`gui.models.table.column_sets.ColumnSet`; empty until the first choice."""
    hidden_columns: list[str] = field(default_factory=list)
    """Those that are not in the user's own set."""
    column_order: list[str] = field(default_factory=list)
    """From left to right in the user's own set; empty: as they come."""
    hidden_call_columns: list[str] = field(default_factory=lambda: ["golden_operator"])
    calls_as_rows: bool = False
    tinted_cells: bool = True
    column_widths: dict[str, int] = field(default_factory=dict)
    filter_text: str = ""
    filter_target: str = ""
    filter_golden: str = ""
    """The runs that the filter was typed for; others start without it."""
    recent: list[list[str]] = field(default_factory=list)
    """Pairs (target, golden), the latest first; golden empty where one run or a result was open."""
    last_folder: str = ""
    geometry: str = ""
    workspace: str = ""
    splitter: str = ""
    detail_tab: str = "tensors"
    """The tab under the table: a word of :class:`gui.pages.detail.Tab`."""
    own_frames_only: bool = False
    """Whether call stacks are shown without the frames of the framework."""
    source_folders: list[list[str]] = field(default_factory=list)
    """Pairs of a folder that dumps name and the one that stands for it here."""
    overflow_limits: dict[str, float] = field(default_factory=dict)
    """Limits of overflow over a training that the user set, by their names in the shipped table."""
    overflow_sizes: list[int] = field(default_factory=list)
    """Pixels that details, matrix and lanes were given on the overflow page; empty: as at first."""
    overflow_tab: str = "births"
    emulation_profile: str = "910B"
    """A shipped profile, or a file of the user's own."""
    emulation_changed: dict[str, str] = field(default_factory=dict)
    """Parameters of that profile that were set otherwise."""
    emulation_all_cells: bool = True
    emulation_sizes: list[int] = field(default_factory=list)
    """Pixels of what is beside the table of calls; empty: as at first."""
    headroom_sizes: list[int] = field(default_factory=list)
    """Pixels of the card of the loss scale and of the picture's height; empty: as at first."""
    training_sizes: list[int] = field(default_factory=list)
    """Pixels of the findings; empty: as at first."""
    curves_sizes: list[int] = field(default_factory=list)
    """Pixels of what is beside the curves, and of the list of runs in it; empty: as at first."""
    curves_half_life: float = 0.0
    """Steps after which a value counts half in a smoothed curve; 0: not smoothed."""
    curves_logarithmic: bool = False
    curves_relative: bool = True
    curves_clipped: bool = False
    precheck_sizes: list[int] = field(default_factory=list)
    """Pixels of the height of evidence and details on the pre-check page; empty: as at first."""
    precheck_name: str = ""
    """Who enters results of checks, and signs."""
    precheck_format: str = "xlsx"
    """As what a pre-check is exported: an ending."""
    source_switches: dict[str, bool] = field(default_factory=dict)
    """What counts as a difference of sources: words of :data:`gui.source.state.SWITCHES`."""
    source_whole: bool = False
    """Whether rows in which nothing differs are shown too."""
    source_sizes: list[int] = field(default_factory=list)
    """Pixels of the list of files; empty: as at first."""
    trajectory_inputs: bool = False
    """Whether the plot shows the errors of inputs too."""
    cells_metric: str = "verdict"
    """By what the map of steps and ranks is coloured."""
    trends_sizes: list[int] = field(default_factory=list)
    """Pixels of what is beside the heat map of trends, and of its height; empty: as at first."""
    distributions_bins: str = "linear"
    """How values are binned in histograms, or ``symlog``."""
    distributions_log: bool = True
    """Whether counts are drawn on a log axis."""
    distributions_format: str = "float16"
    """The number format whose range is shaded: a word of :data:`gui.models.tensors.zones.FORMATS`."""
    distributions_hidden: list[str] = field(default_factory=list)
    """Plots that are not shown."""
    elements_by: str = "absolute"
    """What makes a difference worse: a word of :class:`core.metrics.elements.records.By`."""
    elements_shown: str = "all"
    """What a cell of the table of values holds: all, or ``target``, ``golden``, ``difference``."""
    elements_sizes: list[int] = field(default_factory=list)
    """Pixels of the list of the worst elements; empty: as at first."""
    multiples_shown: str = "difference"
    """What the small pictures of one slot are of, or ``target``, ``golden``."""
    heat_difference: str = "absolute"
    """A word of :class:`core.metrics.pictures.kinds.Difference`."""
    heat_part: str = "magnitude"
    """Which part of complex numbers is drawn: a word of :class:`core.metrics.pictures.kinds.Part`."""
    heat_scale: str = "linear"
    heat_extent: str = "all"
    """Words of the classes of :mod:`gui.tensors.scales`."""
    heat_colour_map: str = "viridis"
    heat_each_own: bool = False
    """Whether target and golden have a range of colours each."""
    heat_limits: dict[str, list[float]] = field(default_factory=dict)
    """Ranges that are kept: of values, and of each kind of difference."""
    tensor_layouts: dict[str, list[Any]] = field(default_factory=dict)
    """Axes of rows, axes of columns and width, by kind of tensor; see :mod:`gui.tensors.layouts`."""

    def remember_pair(self, target: str, golden: str) -> None:
        """Put a pair on top of the recent ones."""
        pair = [target, golden]
        self.recent = [pair, *(item for item in self.recent if item != pair)][:RECENT_LIMIT]

    def forget_sizes(self) -> None:
        """Let the pages share their room as at first."""
        for name in _SIZES:
            setattr(self, name, [])


_SIZES = {"overflow_sizes": 3, "headroom_sizes": 2, "training_sizes": 1, "emulation_sizes": 1,
          "curves_sizes": 2, "trends_sizes": 2, "elements_sizes": 1, "precheck_sizes": 2,
          "source_sizes": 1}  # fmt: skip
"""How many sizes there are of each view."""


_WORDS = {
    "distributions_bins": ("linear", "symlog"),
    "elements_by": ("absolute", "relative", "ulp"),
    "elements_shown": ("all", "target", "golden", "difference"),
    "multiples_shown": ("difference", "target", "golden"),
    "overflow_tab": ("births", "headroom", "training"),
    "precheck_format": ("xlsx", "html", "md", "json"),
    "theme": ("system", "light", "dark"),
    "tree_arrangement": ("module", "execution", "type"),
    "tree_number": ("differing", "error", "cosine"),
}
"""What may be chosen where a view takes any word as it is."""
_LARGEST = 1e300
"""Of an end of a range of colours."""


class SettingsFile:
    """Reads and writes :class:`Settings` with QSettings."""

    def __init__(self, store: QSettings | None = None) -> None:
        self._store = store or QSettings(
            QSettings.Format.IniFormat, QSettings.Scope.UserScope, "ulpscope", "ulpscope"
        )

    def load(self) -> Settings:
        """Return what was saved; each value that is missing or of another type is its default."""
        made = Settings()
        for item in fields(made):
            default = getattr(made, item.name)
            try:
                value = json.loads(str(self._store.value(f"window/{item.name}", "")))
            except ValueError:
                continue
            if type(value) is type(default) and _well_formed(item.name, value):
                setattr(made, item.name, value)
        if str(self._store.value("window/tree_by_module", "")) == "false":  # written up to version 0.1
            made.tree_arrangement = "execution"
            self._store.remove("window/tree_by_module")
        return made

    def save(self, settings: Settings) -> None:
        """Write all values."""
        for name, value in asdict(settings).items():
            self._store.setValue(f"window/{name}", json.dumps(value, ensure_ascii=True))
        self._store.sync()


def _well_formed(name: str, value: Any) -> bool:
    if name in ("recent", "source_folders"):
        return all(
            isinstance(pair, list) and len(pair) == 2 and all(isinstance(path, str) for path in pair)
            for pair in value
        )
    if name in _SIZES:
        fits = len(value) == _SIZES[name] and all(type(size) is int and 0 < size < 9999 for size in value)
        return not value or fits
    if name == "curves_half_life":
        return bool(0 <= value < 1e7)
    if name == "emulation_changed":
        return all(isinstance(item, str) for item in value.values())
    if name in ("hidden_columns", "hidden_call_columns", "column_order", "distributions_hidden"):
        return all(isinstance(item, str) for item in value)
    if name == "column_widths":
        return all(isinstance(width, int) and 10 < width < 4000 for width in value.values())
    if name == "source_switches":
        return all(isinstance(on, bool) for on in value.values())
    if name == "overflow_limits":
        return all(isinstance(limit, float) and 0 < limit < 1e12 for limit in value.values())
    if name == "heat_limits":
        return all(_is_range(ends) for ends in value.values())
    if name == "tensor_layouts":
        return all(_is_layout(entry) for entry in value.values())
    if name in _WORDS:
        return value in _WORDS[name]
    return True


def _is_range(ends: Any) -> bool:
    numbers = isinstance(ends, list) and len(ends) == 2 and all(type(end) is float for end in ends)
    return numbers and -_LARGEST < ends[0] < ends[1] < _LARGEST


def _is_layout(entry: Any) -> bool:
    if not (isinstance(entry, list) and len(entry) == 3 and type(entry[2]) is int):
        return False
    sides = all(isinstance(side, list) for side in entry[:2])
    axes = sides and all(type(axis) is int and axis >= 0 for side in entry[:2] for axis in side)
    return axes and -1 <= entry[2] < _LARGEST


def encode_state(state: QByteArray) -> str:
    """Return a widget's saved state as text."""
    return bytes(state.toBase64().data()).decode("ascii")


def decode_state(text: str) -> QByteArray:
    """Return the state of a text made by :func:`encode_state`."""
    return QByteArray.fromBase64(text.encode("ascii", "ignore"))
