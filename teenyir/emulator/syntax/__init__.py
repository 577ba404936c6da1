"""PTX text to a program.

Text comes in, a `program.Program` goes out. Read `program.py` (what is parsed), then `parser.py`
(directives and bodies), `statements.py` (one instruction), `constants.py`, `reader.py`, `lexer.py`.
"""
