"""`python -m funes_git`."""

from __future__ import annotations

import sys

from funes_git.cli import main

if __name__ == "__main__":
    sys.exit(main())
