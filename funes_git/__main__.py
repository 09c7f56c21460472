"""`python -m funes_git`."""

from __future__ import annotations

import sys


def main() -> int:
    """The program; interrupted while it is still being imported, it ends as it does later."""
    try:
        from funes_git import cli

        return cli.main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
