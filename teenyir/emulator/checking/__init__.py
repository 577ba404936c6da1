"""What is wrong with a run, and what it cost.

Accesses come in from the instructions that make them; reports and counts go out. Read `checker.py`
(bounds, initialisation, races by stamps), `clocks.py` (happens-before), `reports.py`,
`statistics.py`.
"""
