"""python -m quaestor_stats."""

import sys

from quaestor_stats._cli import main

sys.exit(main())
