"""Printers that leave the house: LLVM text, source languages."""
