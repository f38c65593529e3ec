"""Saying by hand which call of the target is which of the golden."""
