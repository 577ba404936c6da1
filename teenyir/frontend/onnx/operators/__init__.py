"""The operators of ONNX, an op each as a function on tensors, by family."""
