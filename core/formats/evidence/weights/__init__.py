"""Checkpoints and statistics of weights: keys, dtypes, shapes and a checksum of each tensor."""
