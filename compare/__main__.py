"""``python -m compare_kernels`` is the command."""

from __future__ import annotations

import sys

from compare_kernels.cli import main

if __name__ == "__main__":
    sys.exit(main())
