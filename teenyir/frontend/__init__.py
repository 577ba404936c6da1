"""The way in from Python: tracing, the symbolic tensor, nn layers."""
