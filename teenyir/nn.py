"""Layers with weights: `teenyir.frontend.nn`, where users look for it."""

from teenyir.frontend.nn import *  # noqa: F403
from teenyir.frontend.nn import __all__ as __all__
