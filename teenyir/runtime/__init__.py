"""Running compiled programs: native code, buffers, calls."""
