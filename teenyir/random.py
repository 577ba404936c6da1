"""Random numbers from a counter: `teenyir.frontend.random`, where users look for it."""

from teenyir.frontend.random import *  # noqa: F403
