"""Passes on the uop floor: linear code, loops and registers."""
