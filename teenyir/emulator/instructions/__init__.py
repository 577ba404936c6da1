"""What each instruction does: tables of `name -> builder`.

A builder takes a `Binder` and an instruction, and gives an operation: a function of the mask of
lanes that works on bound numpy arrays. `table.py` joins the tables, `isa.py` lists the whole
instruction set. To read one part, take `integer.py`. A new instruction is a row in the table of
its file, a row in `isa.py` if it is not there, an example in `test/emulator/test_isa.py`, a test.
"""
