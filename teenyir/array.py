"""An array library that computes at once: `teenyir.frontend.array`, where users look for it."""

from typing import Any

from teenyir.frontend import array as _array


def __getattr__(name: str) -> Any:
    return getattr(_array, name)


def __dir__() -> list[str]:
    return dir(_array)
