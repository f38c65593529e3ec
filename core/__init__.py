"""Everything ulpscope knows about dumps, without a window: no Qt is imported below this package."""

import os

__version__ = "0.1.0"

# Before numpy loads its BLAS. Work is spread over processes; two of them with a threaded BLAS each run many
# times slower than with one thread each, and the threads of one spin while the other works.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ.setdefault(_variable, "1")
