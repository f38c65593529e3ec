"""Everything ulpscope knows about dumps, without a window: no Qt is imported below this package."""

__version__ = "0.1.0"
