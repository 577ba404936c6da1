"""The search for schedules by measuring: kernels in, schedules in a database out.

`candidates` says which schedules a kernel could have and what the cost model thinks of them,
`worker` measures some of them in a process of its own, `measure` starts that process and survives
it, and `search` decides what to measure and keeps the best. `lower` replays what is kept
(`passes/kernel/choose/apply_tuned.py`).
"""
