"""Models of ONNX as programs: `ty.load_onnx`.

A model goes through these rooms:

    files       bytes to a protobuf message; a damaged file ends here
    tensors     a tensor of the message as an array; data beside the file, from its folder alone
    declared    what the file says of a value, against what it is
    inputs      the inputs of the model, and values that are given for them
    extents     what the names of extents mean, and which of them an operator has to know
    slots       inputs that decide extents: names in the place of these, and what they stand for
    told        what operators do with axes, bounds and extents that each call tells
    nodes       one node, and its attributes by name and kind
    values      what a name of the graph stands for: a tensor of the program, or an array that is
                known while it is made, whose integers may be extents, or one that a call can tell
    operators/  an op each as a function on these, in a table by name and version
    shapes      integer arithmetic on extents, so that shapes that a graph works out stay shapes
    folding     an op on known arrays, done at once by the graph's interpreter
    definitions an op that the table lacks, as ONNX itself defines it by others
    graph       the walk over the nodes
    supported   whether the operators are there
    model       what `ty.load_onnx` gives

The package `onnx` is needed (`pip install 'teenyir[onnx]'`); it is imported when a model is.
"""
