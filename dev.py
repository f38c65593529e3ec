"""One program for everything: ``python dev.py demo``, ``test``, ``lint``, ``messages`` and more.

Needs nothing but Python 3.11 or newer; it makes a virtual environment in ``.venv`` and installs the rest.
This file alone must be readable to older Pythons, so that they can say what is wrong.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - this is the check that tells a user of an older one
    sys.exit("dev.py needs Python 3.11 or newer; this is Python %d.%d." % sys.version_info[:2])  # noqa: UP031

from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "packaging"))

from tasks.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
