"""Lets the tests of this folder import its `one_instruction`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
