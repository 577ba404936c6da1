"""Instruments: what can watch a pipeline run, each in a file of its own.

Read `base.py` first, then `verify.py` as the shortest example.
"""
