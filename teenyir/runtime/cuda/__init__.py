"""The target `cuda`: a program's kernels on a GPU of NVIDIA, through pycuda.

PTX and a program that dispatches it come in, something to call with arrays comes out. pycuda is
imported when a program is compiled for the target, not before. To read: `steps.py` is what a
program launches, without a driver; `driver.py` is the GPU, its context and stream; `libcuda.py` has
the few functions of the driver that pycuda lacks; `arrays.py` and `dlpack.py` are arrays in a GPU's
memory; `program.py` and `compiled.py` put it together.
"""
