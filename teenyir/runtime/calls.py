"""How Python enters native code over arrays: a function of Python's that is itself LLVM IR.

    enter = entrance(main)                 main: void (void **buffers, int64_t *dims, void *arena)
    enter(dims, arena, *arrays)

reads where the elements of each array begin, and calls `main` with the GIL released. ctypes would
take longer for one array's address than this does for a call.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from functools import cache
from threading import RLock
from typing import TypeAlias

from teenyir.forking import wait_for
from teenyir.runtime.jit import AS_WRITTEN, Library, compile_object, load
from teenyir.runtime.object_cache import ObjectCache

Enter: TypeAlias = Callable[..., None]
"""Of extents (`bytes`), an array that is the arena, and the arrays of inputs and outputs."""

_ENTER = "teenyir_enter"

_FASTCALL = 0x80
"""Python's `METH_FASTCALL`: arguments come as an array of objects and their number."""

_TEXT = """
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
declare void @Py_IncRef(ptr)
@_Py_NoneStruct = external global i8

define ptr @teenyir_enter(ptr %self, ptr %arguments, i64 %count) {
  %own = getelementptr i8, ptr %self, i64 $BYTES
  %main = load ptr, ptr %own
  %extents = load ptr, ptr %arguments
  %dims = getelementptr i8, ptr %extents, i64 $BYTES
  %arrays = getelementptr ptr, ptr %arguments, i64 1
  %number = sub i64 %count, 1
  %places = alloca ptr, i64 %number
  br label %next
next:
  %i = phi i64 [ 0, %0 ], [ %i.next, %next ]
  %argument = getelementptr ptr, ptr %arrays, i64 %i
  %array = load ptr, ptr %argument
  %data = getelementptr i8, ptr %array, i64 $DATA
  %elements = load ptr, ptr %data
  %place = getelementptr ptr, ptr %places, i64 %i
  store ptr %elements, ptr %place
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %number
  br i1 %more, label %next, label %call
call:
  %arena = load ptr, ptr %places
  %buffers = getelementptr ptr, ptr %places, i64 1
  %thread = call ptr @PyEval_SaveThread()
  call void %main(ptr %buffers, ptr %dims, ptr %arena)
  call void @PyEval_RestoreThread(ptr %thread)
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
}
"""


class _Method(ctypes.Structure):
    """Python's `PyMethodDef`."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_NEW = ctypes.PYFUNCTYPE(
    ctypes.py_object, ctypes.POINTER(_Method), ctypes.py_object, ctypes.py_object
)
_new_function: Callable[[_Method, bytes, None], Enter] = _NEW(
    ("PyCFunction_NewEx", ctypes.pythonapi)
)


def entrance(main: int) -> Enter:
    """The function of Python's that calls the code at this address, for as long as that is there.

    It checks nothing: arrays are of numpy's, and what the code takes them for.
    """
    with _LOCK:
        _, method = _method()
    return _new_function(method, struct.pack("=Q", main), None)


_LOCK = RLock()
"""What is cached is there once: of two threads that come first, one would drop what it uses."""

wait_for(_LOCK)


@cache
def _method() -> tuple[Library, _Method]:
    """What all of them share; never unloaded. An array's header starts, behind what every object
    has, with the address of its elements; a `bytes` ends with its own and a zero."""
    text = _TEXT.replace("$BYTES", str(bytes.__basicsize__ - 1))
    text = text.replace("$DATA", str(object.__basicsize__))
    code = compile_object(text, options=AS_WRITTEN, objects=ObjectCache())
    library = load(code, (_ENTER,))
    return library, _Method(b"enter", library.address(_ENTER), _FASTCALL, None)
