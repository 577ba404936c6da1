"""Properties that are computed when they are first read, without a lock.

Python 3.11's `functools.cached_property` holds a lock while it computes, one for all objects of a
class: a thread waits for another one's, and the child of a fork for ever if another thread had it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

T = TypeVar("T")


class once(Generic[T]):
    """A property that is kept in the object; of threads that read it first at once each computes
    it, and one value stays."""

    def __init__(self, compute: Callable[[Any], T]):
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> once[T]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object, owner: type) -> once[T] | T:
        if instance is None:
            return self
        return instance.__dict__.setdefault(self._name, self._compute(instance))
