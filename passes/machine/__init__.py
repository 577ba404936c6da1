"""Passes on the machine floor: LLVM values."""
